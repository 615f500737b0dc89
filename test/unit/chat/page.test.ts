import { describe, expect, it } from 'vitest';
import { createPage } from '../../../src/chat/loop/page.ts';
import type { RoundEvent } from '../../../src/chat/loop/round.ts';

/** `|` is a seam, `#` the next round; each text between them comes in pieces of so many characters. */
const shown = (script: string, size: number): string => {
  const page = createPage();
  let round = 1;
  const out: string[] = [];
  const show = (event: RoundEvent) => {
    for (const seen of page.show(event, round)) if (seen.type === 'text') out.push(seen.text);
  };
  for (const part of script.split(/([|#])/)) {
    if (part === '|') show({ type: 'seam' });
    else if (part === '#') round += 1;
    else
      for (let at = 0; at < part.length; at += size) show({ type: 'text', choice: 0, text: part.slice(at, at + size) });
  }
  return out.join('');
};

describe.each([1, 3, 1_000])('the visible text, in pieces of %i', (size) => {
  it.each([
    ['hidden block within a line', 'Look: | so.', 'Look: so.'],
    ['hidden block without space', 'a|b', 'ab'],
    ['hidden block before a space', 'a| b', 'a b'],
    ['hidden block between paragraphs', 'One.\n\n|\n\nTwo.', 'One.\n\nTwo.'],
    ['hidden block on a line of its own', 'One.\n|\nTwo.', 'One.\nTwo.'],
    ['two hidden blocks', 'One.\n|\n\n|\nTwo.', 'One.\n\nTwo.'],
    ['larger gap after it', 'One.\n|\n\nTwo.', 'One.\n\nTwo.'],
    ['hidden block first of all', '|\n\nOne.', 'One.'],
    ['hidden block last of all', 'One.\n|\n\n', 'One.\n'],
    ['indent after a hidden block', 'One.\n|\n  - two', 'One.\n  - two'],
    ['next round', 'One.#Two.', 'One.\n\nTwo.'],
    ['next round after a hidden block', 'One.\n|\n#\n\n\nTwo.', 'One.\n\nTwo.'],
    ['round that says nothing', '|#|#Three.', 'Three.'],
    ['white space of its own', ' a  b\n\n\n\nc ', ' a  b\n\n\n\nc '],
  ])('closes the gap of a %s', (_what, script, expected) => {
    expect(shown(script, size)).toBe(expected);
  });
});
