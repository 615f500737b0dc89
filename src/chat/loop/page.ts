import type { ModelEvent } from '../../ports/language-model.ts';
import type { RoundEvent } from './round.ts';

/** Why a conversation was ended before the model was done. */
export type ChatStop = { readonly code: 'REPEATED_CALL' | 'ROUND_LIMIT' | 'SIZE_LIMIT'; readonly message: string };

/** What the client sees of all rounds, as one answer: their texts stand apart, and what begins an answer comes once. */
export type Page = {
  /** An event of the model's answer in this round. */
  show(event: RoundEvent, round: number): Iterable<ModelEvent>;
  /** A paragraph of the server's own. */
  add(paragraph: string): Iterable<ModelEvent>;
  stop(stop: ChatStop): Iterable<ModelEvent>;
};

/** Line breaks that part one paragraph from the next. */
const PARAGRAPH = 2;

export const createPage = (): Page => {
  let lastRound = 1;
  /** Line breaks that the visible text ends with, as far as they matter; an empty page needs none. */
  let breaks = PARAGRAPH;
  let endsInSpace = true;
  /**
   * Where two texts meet that did not stand next to each other: line breaks that are to be between them at least, and the
   * white space that the second one has begun with. Null within a text.
   */
  let seam: { least: number; space: string } | null = null;

  const write = function* (text: string): Generator<ModelEvent> {
    if (text === '') return;
    const own = /\n{0,2}$/.exec(text)?.[0].length ?? 0;
    breaks = own === text.length ? Math.min(PARAGRAPH, breaks + own) : own;
    endsInSpace = /\s$/u.test(text);
    yield { type: 'text', choice: 0, text };
  };
  const gap = (): string => '\n'.repeat(PARAGRAPH - breaks);

  /** A text that may follow a seam: of the white space on both sides, the larger gap stays. */
  const join = function* (text: string): Generator<ModelEvent> {
    if (seam === null) return yield* write(text);
    const rest = text.trimStart();
    seam.space += text.slice(0, text.length - rest.length);
    // Nobody knows yet whether more than white space follows.
    if (rest === '') return;
    yield* write(spaceAt(seam) + rest);
    seam = null;
  };

  const spaceAt = ({ least, space }: { least: number; space: string }): string => {
    const wanted = Math.min(PARAGRAPH, Math.max(least, space.split('\n').length - 1));
    const indent = /\n[^\S\n]*$/u.test(space) ? space.slice(space.lastIndexOf('\n') + 1) : '';
    if (wanted > 0) return '\n'.repeat(Math.max(0, wanted - breaks)) + indent;
    return endsInSpace || space === '' ? '' : ' ';
  };

  return {
    show: function* (event, round) {
      if (event.type === 'seam') {
        seam ??= { least: 0, space: '' };
      } else if (event.type === 'text' && event.choice === 0) {
        if (round > lastRound) {
          seam = { least: PARAGRAPH, space: '' };
          lastRound = round;
        }
        yield* join(event.text);
      } else if (round === 1 || (event.type !== 'start' && event.type !== 'notice')) yield event;
    },
    add: function* (paragraph) {
      seam = null;
      yield* write(`${gap()}${paragraph}\n`);
    },
    stop: function* ({ code, message }) {
      seam = null;
      yield* write(`${gap()}[Stopped: ${message}.]`);
      yield { type: 'extra', choice: 0, chunkFields: { vcp: { stopped: { code, message } } } };
    },
  };
};
