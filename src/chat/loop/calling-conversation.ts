import type { ChatMessage } from '../../ports/language-model.ts';
import type { MediaRules } from '../../ports/media-rules.ts';
import type { ChatCaller } from './chat-caller.ts';

/** A conversation as its calls see it. */
export type CallingConversation = {
  readonly caller: ChatCaller;
  readonly mediaRules: MediaRules;
  readonly messages: readonly ChatMessage[];
  /** Ends the calls that the model waits for. */
  readonly signal: AbortSignal;
};
