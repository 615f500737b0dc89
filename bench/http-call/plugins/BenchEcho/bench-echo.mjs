// @ts-check

/**
 * The work that every contender of the benchmark does for one call.
 *
 * @typedef {{ text: string, times: number, tags: string[] }} EchoInput
 * @typedef {{ text: string, length: number, items: { index: number, value: string }[] }} EchoOutput
 * @param {EchoInput} input
 * @returns {EchoOutput}
 */
export function echo({ text, times, tags }) {
  const items = [];
  for (let index = 0; index < times; index += 1) {
    const tag = tags[index % tags.length] ?? '';
    items.push({ index, value: `${tag}#${index}` });
  }
  return { text, length: text.length, items };
}

/** @param {EchoInput} args */
export function processToolCall(args) {
  return { status: 'success', data: echo(args) };
}
