import type { ChatMessage, ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import type { ToolReport } from './tool-report.ts';

/** What a round gives to be seen. At a seam stood a block that is hidden: what is left on both sides grows together. */
export type RoundEvent = ModelEvent | { readonly type: 'seam' };

/** One answer of the model, with what became of its calls. */
export type Round = {
  readonly finish: Extract<ModelEvent, { type: 'finish' }> | null;
  readonly usage: ModelUsage | null;
  /** Whether it called a function of the client's own, whose turn it is then. */
  readonly hasClientCalls: boolean;
  readonly reports: readonly ToolReport[];
  /** Calls beyond those that one answer may have. */
  readonly notRun: number;
  /** What the conversation goes on with: the answer, and what the model is told of its calls. */
  next(notes: readonly string[]): readonly ChatMessage[];
};

/** Plays one round: gives what the client may see as it comes, and waits for the calls at its end. */
export type PlayRound = (
  messages: readonly ChatMessage[],
  signal: AbortSignal,
) => AsyncGenerator<RoundEvent, Round, undefined>;
