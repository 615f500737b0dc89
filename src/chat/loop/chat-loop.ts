import type { Limits } from '../../lib/limits.ts';
import type { ChatMessage, ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import { reportText } from './feedback-message.ts';
import { createPage, type ChatStop } from './page.ts';
import { createRepeatGuard, type Repetition } from './repeat-guard.ts';
import type { PlayRound, RoundEvent } from './round.ts';
import { sumUsage } from './sum-usage.ts';

export type ChatRun = {
  /** The conversation so far, ready for the model. */
  readonly messages: readonly ChatMessage[];
  readonly play: PlayRound;
  /** Ends the conversation: its requests to the model, and the calls that it waits for. */
  readonly signal: AbortSignal;
  /** Told when the model is asked. */
  onRound?(): void;
  readonly limits: Pick<Limits, 'chatRounds' | 'chatCallsPerAnswer' | 'chatAddedCharacters'>;
};

/**
 * A conversation with tools: the model answers, its calls are run and their results fed back, until it makes no more. Gives
 * what the client is to see, as one answer; usage is that of all rounds together. Raises `UpstreamError`, or the signal's
 * reason, also in the middle.
 */
export async function* runConversation({ play, limits, onRound, ...chat }: ChatRun): AsyncGenerator<ModelEvent> {
  const guard = createRepeatGuard();
  const page = createPage();
  const left = new AbortController();
  const signal = AbortSignal.any([chat.signal, left.signal]);
  const messages = [...chat.messages];
  let added = 0;
  let isDone = false;
  let usage: ModelUsage | null = null;
  let playing: ReturnType<PlayRound> | null = null;
  try {
    for (let number = 1; ; number += 1) {
      onRound?.();
      /** What belongs to this answer alone, and to the client only if it is the last. */
      const ownThoughts: ModelEvent[] = [];
      playing = play([...messages], signal);
      let next = await playing.next();
      for (; next.done !== true; next = await playing.next()) {
        if (isSignedThought(next.value)) ownThoughts.push(next.value);
        else yield* page.show(next.value, number);
      }
      signal.throwIfAborted();
      const round = next.value;
      const { reports, notRun, hasClientCalls } = round;
      usage = sumUsage(usage, round.usage);
      // The client's own functions are its turn now; what is not seen of the other calls would be lost with this answer.
      const seen = hasClientCalls ? reports : reports.filter(({ isVisible }) => isVisible);
      for (const report of seen) yield* page.add(reportText(report));

      const repetition = guard.look(reports);
      const isOver = hasClientCalls || (reports.length === 0 && notRun === 0);
      const more = isOver ? [] : round.next(notesOf(repetition, notRun, limits.chatCallsPerAnswer));
      added += isOver ? 0 : JSON.stringify(more).length;
      const stop = isOver ? null : stopOf(repetition, number, added, limits);
      if (stop !== null) yield* page.stop(stop);
      if (isOver || stop !== null) {
        yield* ownThoughts;
        yield endOf(round.finish, stop);
        if (usage !== null) yield { type: 'usage', usage };
        isDone = true;
        return;
      }
      messages.push(...more);
    }
  } finally {
    if (!isDone) left.abort();
    // Left in its middle, an answer still holds its request and the time that bounds it.
    await playing?.return(undefined as never);
  }
}

/** Anthropic's thoughts are signed for the answer that they stand in: of several in one, it would refuse the first. */
const isSignedThought = (event: RoundEvent): event is Extract<ModelEvent, { type: 'extra' }> =>
  event.type === 'extra' && event.deltaFields?.['thinking_blocks'] !== undefined;

/** How the answer ends: as the model's last one did. One that was stopped has no calls left for the client to make. */
const endOf = (finish: Extract<ModelEvent, { type: 'finish' }> | null, stop: ChatStop | null): ModelEvent =>
  finish === null || stop !== null ? { type: 'finish', choice: 0, reason: 'stop', native: null } : finish;

const stopOf = (repetition: Repetition, round: number, added: number, limits: ChatRun['limits']): ChatStop | null => {
  if (repetition === 'stop')
    return { code: 'REPEATED_CALL', message: 'the same call was made again and again, with the same result' };
  if (round >= limits.chatRounds)
    return { code: 'ROUND_LIMIT', message: `tools were used ${limits.chatRounds} times in a row` };
  if (added > limits.chatAddedCharacters)
    return { code: 'SIZE_LIMIT', message: 'the results of the tools are more than fits into one conversation' };
  return null;
};

const notesOf = (repetition: Repetition, notRun: number, most: number): readonly string[] => [
  ...(repetition === 'noticed'
    ? ['You made this call before, and its result is the same. Do not make it again: answer with what you know.']
    : []),
  ...(notRun > 0
    ? [`${notRun} more calls were not run, since one answer may hold ${most}. Make them now if needed.`]
    : []),
];
