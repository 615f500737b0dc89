import type { ChatMessage } from '../../ports/language-model.ts';
import type { MediaRules } from '../../ports/media-rules.ts';
import type { ChatCaller } from './chat-caller.ts';
import type { MediaBudget } from './media-budget.ts';

/** A conversation as its calls see it. */
export type CallingConversation = {
  readonly caller: ChatCaller;
  readonly media: ConversationMedia;
  readonly messages: readonly ChatMessage[];
  /** Ends the calls that the model waits for. */
  readonly signal: AbortSignal;
};

/** Which files of results the model is given, and how many bytes of them are left to give. */
export type ConversationMedia = { readonly rules: MediaRules; readonly budget: MediaBudget };
