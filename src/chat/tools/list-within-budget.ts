import type { ModelWords } from './model-words.ts';

export type NamedText = { readonly name: string; text(): string };

/** As many names of what was left out are listed before the rest is counted. */
const MOST_NAMES = 200;

/**
 * The texts that fit into a budget of characters, in their order, and the names of those that did not: a short one may
 * follow a long one that had no room.
 */
export const listWithinBudget = (items: readonly NamedText[], characters: number, words: ModelWords): string => {
  const shown: string[] = [];
  const left: string[] = [];
  let room = characters;
  for (const { name, text } of items) {
    // Nothing that is worth reading is shorter.
    const whole = room < name.length ? null : text();
    if (whole === null || whole.length > room) left.push(name);
    else {
      shown.push(whole);
      room -= whole.length + 2;
    }
  }
  if (left.length > 0) {
    const more = left.length - MOST_NAMES;
    const names = [...left.slice(0, MOST_NAMES), ...(more > 0 ? [words.more(more)] : [])];
    shown.push(words.omitted(names.join(', ')));
  }
  return shown.join('\n\n');
};
