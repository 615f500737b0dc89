import type { JsonObject } from '../protocol/json.ts';
import type { MediaRules } from './media-rules.ts';

/** A message in the words of OpenAI's Chat Completions; fields that are not listed travel along. */
export type ChatMessage = JsonObject & {
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  readonly role: string;
  /** Absent or null where an assistant only called tools. */
  readonly content?: string | null | readonly JsonObject[];
};

/** A request in the words of OpenAI's Chat Completions; fields that are not listed travel along. */
export type ChatRequest = JsonObject & { readonly model: string; readonly messages: readonly ChatMessage[] };

/** Tokens in OpenAI's words. Details that a vendor counts beside them are kept under their OpenAI names or their own. */
export type ModelUsage = JsonObject & {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

/** Something of the request that was left out or changed on the way, since this vendor has nothing like it. */
export type ModelNotice = {
  /** JSON Pointer into the request. */
  readonly pointer: string;
  readonly message: string;
};

/**
 * A piece of a streamed answer. `choice` is the index of the answer it belongs to, 0 unless `n` asked for several.
 * Notices and `start` come before everything else, `usage` after `finish`; unknown types are to be skipped.
 */
export type ModelEvent =
  | { readonly type: 'notice'; readonly notice: ModelNotice }
  /** The vendor's id of the answer, and the model that gives it, as far as they are told. */
  | { readonly type: 'start'; readonly id: string | null; readonly model: string | null }
  | { readonly type: 'text'; readonly choice: number; readonly text: string }
  /** What the model thought, where a vendor shows it. To clients it is `delta.reasoning_content`. */
  | { readonly type: 'reasoning'; readonly choice: number; readonly text: string }
  /** A native tool call: `id` and `name` come with the first piece of each index, the texts of `arguments` are joined. */
  | {
      readonly type: 'tool_call';
      readonly choice: number;
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
      /** Further fields of the call that have to come back with it, such as `extra_content`. */
      readonly extra?: JsonObject;
    }
  /** `native` is the vendor's own word where it is another than `reason`. */
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly reason: FinishReason;
      readonly native: string | null;
    }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /**
   * Fields that none of the above has, to be passed on: of the chunk (`system_fingerprint`), of its choice (`logprobs`)
   * or of its delta (`refusal`, `annotations`, `thinking_blocks`).
   */
  | {
      readonly type: 'extra';
      readonly choice: number;
      readonly chunkFields?: JsonObject;
      readonly choiceFields?: JsonObject;
      readonly deltaFields?: JsonObject;
    };

/** A tool call in an assistant's message. */
export type ChatToolCall = JsonObject & {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};

/** The message of a whole answer: it can be put into the next request as it is. */
export type AnswerMessage = JsonObject & {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
};

export type AnswerChoice = JsonObject & {
  readonly index: number;
  readonly message: AnswerMessage;
  readonly finish_reason: FinishReason;
};

/** A whole answer in OpenAI's words, without `object`, `created` and an id of this server's, which the route gives. */
export type ModelAnswer = {
  readonly id: string | null;
  readonly model: string | null;
  readonly choices: readonly AnswerChoice[];
  readonly usage: ModelUsage | null;
  /** Further fields of the answer, to be passed on. */
  readonly fields: JsonObject;
  readonly notices: readonly ModelNotice[];
};

/** A model that an upstream offers. */
export type OfferedModel = {
  readonly id: string;
  /** Seconds since the epoch; null where the vendor does not say. */
  readonly created: number | null;
  readonly ownedBy: string;
};

export type ModelCallOptions = { readonly signal: AbortSignal };

/**
 * Whatever answers chat requests. Both ways reject with an `UpstreamError`, a stream also in the middle, or with the
 * signal's reason when that aborts. A stream that is left early ends its request.
 */
export type LanguageModel = {
  /** What it takes in, for whoever has resources to show (`carryMedia`). */
  readonly mediaRules: MediaRules;
  complete(request: ChatRequest, options: ModelCallOptions): Promise<ModelAnswer>;
  stream(request: ChatRequest, options: ModelCallOptions): AsyncIterable<ModelEvent>;
  listModels(options: ModelCallOptions): Promise<readonly OfferedModel[]>;
};
