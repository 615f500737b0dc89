import type { JsonObject } from '../protocol/json.ts';

/** Tokens, as OpenAI counts them. */
export type ChatUsage = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

/** A function of the caller's own that the model wants called. */
export type ChatFunctionCall = {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
};

/** What the model has answered, after all calls of the server's tools. */
export type ChatAnswer = {
  /** `chatcmpl-…` */
  readonly id: string;
  readonly model: string;
  /** Empty where the model said nothing. */
  readonly content: string;
  readonly reasoning: string;
  readonly functionCalls: readonly ChatFunctionCall[];
  readonly finishReason: string | null;
  readonly usage: ChatUsage | null;
};

/** One thing after another while an answer comes; `answer` is the last, and has all of it. */
export type ChatStreamEvent =
  /** The id that `interrupt` takes. */
  | { readonly type: 'start'; readonly id: string; readonly model: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: ChatAnswer };

/** A message, or what has changed of one. */
export type WireMessage = {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
};

/** A whole answer or a piece of one, in OpenAI's form. */
export type WireAnswer = {
  readonly id?: string;
  readonly model?: string;
  readonly choices?: readonly {
    readonly index?: number;
    readonly message?: WireMessage;
    readonly delta?: WireMessage;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: ChatUsage | null;
  readonly error?: JsonObject;
};

/** Puts an answer together; of several choices it is the first. `add` gives the text and the thoughts that are new. */
export type AnswerBuilder = {
  add(wire: WireAnswer): { readonly text: string; readonly reasoning: string };
  answer(): ChatAnswer;
};

export const createAnswerBuilder = (): AnswerBuilder => {
  const text: string[] = [];
  const thoughts: string[] = [];
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  let [id, model, finishReason, usage] = ['', '', null as string | null, null as ChatUsage | null];
  return {
    add: (wire) => {
      id ||= wire.id ?? '';
      model ||= wire.model ?? '';
      usage = wire.usage ?? usage;
      const choice = wire.choices?.find(({ index = 0 }) => index === 0);
      const message = choice?.message ?? choice?.delta ?? {};
      finishReason = choice?.finish_reason ?? finishReason;
      for (const [place, call] of (message.tool_calls ?? []).entries()) {
        const index = call.index ?? place;
        const known = calls.get(index) ?? { id: '', name: '', arguments: '' };
        calls.set(index, {
          id: known.id || (call.id ?? ''),
          name: known.name || (call.function?.name ?? ''),
          arguments: known.arguments + (call.function?.arguments ?? ''),
        });
      }
      const added = { text: message.content ?? '', reasoning: message.reasoning_content ?? '' };
      text.push(added.text);
      thoughts.push(added.reasoning);
      return added;
    },
    answer: () => ({
      id,
      model,
      content: text.join(''),
      reasoning: thoughts.join(''),
      functionCalls: [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call),
      finishReason,
      usage,
    }),
  };
};
