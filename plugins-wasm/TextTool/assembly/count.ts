import { encodeUtf8, Json, Payload, success } from 'vcp-plugin';
import { characterAt, isIdeograph, isSpace, isWordCharacter } from './characters';
import { splitLines } from './split-lines';

/** How much there is in a text, and its most frequent words. */
export function count(args: Json): Payload {
  const text = args.getString('text');
  let characters = 0;
  let spaces = 0;
  let sentences = 0;
  let isInSentence = false;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at);
    const character = characterAt(text, at);
    characters++;
    if (isSpace(point)) spaces++;
    if (isWordCharacter(point)) isInSentence = true;
    else if (isInSentence && '.!?。！？…'.includes(character)) {
      sentences++;
      isInSentence = false;
    }
    at += character.length;
  }
  if (isInSentence) sentences++;
  const words = wordsOf(text);
  const data = Json.object()
    .set('characters', characters)
    .set('charactersWithoutSpaces', characters - spaces)
    .set('utf16Units', text.length)
    .set('bytes', encodeUtf8(text).length)
    .set('words', words.length)
    .set('sentences', sentences)
    .set('lines', splitLines(text).length)
    .set('paragraphs', paragraphs(text))
    .set('topWords', topWords(words, args.getInteger('top', 5)));
  return success(data).summary(`${words.length} words, ${characters} characters`);
}

function wordsOf(text: string): Array<string> {
  const words = new Array<string>();
  let from = -1;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at);
    const width = point > 0xffff ? 2 : 1;
    // An apostrophe or a hyphen inside of a word belongs to it.
    const isInner =
      from >= 0 &&
      (point == 0x27 || point == 0x2019 || point == 0x2d) &&
      at + 1 < text.length &&
      isWordCharacter(text.codePointAt(at + 1));
    const belongs = isWordCharacter(point) && !isIdeograph(point);
    if (belongs || isInner) {
      if (from < 0) from = at;
    } else {
      if (from >= 0) words.push(text.substring(from, at));
      from = -1;
      if (isIdeograph(point)) words.push(text.substring(at, at + width));
    }
    at += width;
  }
  if (from >= 0) words.push(text.substring(from));
  return words;
}

function paragraphs(text: string): i32 {
  const lines = splitLines(text);
  let count = 0;
  let isInside = false;
  for (let at = 0; at < lines.length; at++) {
    const isEmpty = lines[at].trim().length == 0;
    if (!isEmpty && !isInside) count++;
    isInside = !isEmpty;
  }
  return count;
}

class WordCount {
  count: i32 = 0;
  constructor(
    public readonly word: string,
    public readonly first: i32,
  ) {}
}

/** The most frequent first; of equals, the one that came first. */
function topWords(words: Array<string>, top: i32): Json {
  const counts = new Map<string, WordCount>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at].toLowerCase();
    if (!counts.has(word)) counts.set(word, new WordCount(word, at));
    counts.get(word).count++;
  }
  const sorted = counts.values();
  sorted.sort((left, right) => (left.count != right.count ? right.count - left.count : left.first - right.first));
  const list = Json.array();
  for (let at = 0; at < min(top, sorted.length); at++) {
    list.push(Json.object().set('word', sorted[at].word).set('count', sorted[at].count));
  }
  return list;
}
