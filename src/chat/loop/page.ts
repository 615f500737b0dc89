import type { ModelEvent } from '../../ports/language-model.ts';

/** Why a conversation was ended before the model was done. */
export type ChatStop = { readonly code: 'REPEATED_CALL' | 'ROUND_LIMIT'; readonly message: string };

/** What the client sees of all rounds, as one answer: their texts stand apart, and what begins an answer comes once. */
export type Page = {
  /** An event of the model's answer in this round. */
  show(event: ModelEvent, round: number): Iterable<ModelEvent>;
  /** A paragraph of the server's own. */
  add(paragraph: string): Iterable<ModelEvent>;
  stop(stop: ChatStop): Iterable<ModelEvent>;
};

export const createPage = (): Page => {
  let lastRound = 1;
  /** Line breaks that the visible text ends with, two at most: as many as part a paragraph from the next. */
  let breaks = 2;

  const write = function* (text: string): Generator<ModelEvent> {
    if (text === '') return;
    const own = /\n{0,2}$/.exec(text)?.[0].length ?? 0;
    breaks = own === text.length ? Math.min(2, breaks + own) : own;
    yield { type: 'text', choice: 0, text };
  };
  const gap = (): string => '\n'.repeat(2 - breaks);

  return {
    show: function* (event, round) {
      if (event.type === 'text' && event.choice === 0) {
        const text = round > lastRound ? gap() + event.text : event.text;
        lastRound = round;
        yield* write(text);
      } else if (round === 1 || (event.type !== 'start' && event.type !== 'notice')) yield event;
    },
    add: (paragraph) => write(`${gap()}${paragraph}\n`),
    stop: function* ({ code, message }) {
      yield* write(`${gap()}[Stopped: ${message}.]`);
      yield { type: 'extra', choice: 0, chunkFields: { vcp: { stopped: { code, message } } } };
    },
  };
};
