import { failure, Json, serve, success } from 'vcp-plugin';

export function invoke(): i32 {
  return serve((call) => {
    const text = call.arguments.getString('text');
    let words = 0;
    let isInWord = false;
    for (let at = 0; at < text.length; at++) {
      const isSpace = text.charCodeAt(at) <= 0x20;
      if (!isSpace && !isInWord) words++;
      isInWord = !isSpace;
    }
    if (words == 0) return failure('TEXT.EMPTY', 'text holds no word; give one with at least one letter', 'text');
    return success(Json.object().set('words', words)).summary(`${words} words`);
  });
}
