import type { ModelEvent } from '../ports/language-model.ts';

/** The reason of a signal that somebody used to end a conversation on purpose. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor() {
    super('the conversation was interrupted');
  }
}

/** An answer that was interrupted ends where it is, as one that was stopped; every other end is what it was. */
export async function* untilInterrupted(
  events: AsyncIterable<ModelEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!(signal.reason instanceof Interrupted)) throw error;
    yield { type: 'finish', choice: 0, reason: 'stop', native: 'interrupted' };
  }
}
