import type { Limits } from '../../lib/limits.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { ChatMessage, ChatRequest, LanguageModel, ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { FunctionCalls } from './function-calls.ts';
import type { ChatCaller } from './chat-caller.ts';
import { functionTools, type NamedFunction } from './function-names.ts';
import type { PlayRound } from './round.ts';
import type { ToolReport } from './tool-report.ts';

export type NativeRoundOptions = {
  readonly model: LanguageModel;
  readonly calls: FunctionCalls;
  readonly request: ChatRequest;
  readonly caller: ChatCaller;
  readonly functions: ReadonlyMap<string, NamedFunction>;
  readonly limits: Pick<Limits, 'chatCallsPerAnswer' | 'jsonDepth' | 'jsonNodes'>;
};

/** A call of one of our functions, as its pieces come. */
type CallDraft = { readonly id: string; readonly named: NamedFunction; arguments: string; extra: JsonObject };

/**
 * Rounds of a model that calls functions in its vendor's own way: the server's are run here, the client's own go to it.
 * When an answer calls both, the client's go first and ours are not run; the model asks again once it has their results.
 */
export const nativeRounds = ({ model, calls, request, caller, functions, limits }: NativeRoundOptions): PlayRound => {
  const own = Array.isArray(request['tools']) ? request['tools'] : [];
  const tools = [...own, ...functionTools(functions.values())];
  const asked: ChatRequest = tools.length === 0 ? request : { ...request, tools };

  return async function* (messages, signal) {
    const drafts = new Map<number, CallDraft>();
    /** The client's calls are numbered as if there were no others. */
    const clientIndexes = new Map<number, number>();
    let text = '';
    let finish: Extract<ModelEvent, { type: 'finish' }> | null = null;
    let usage: ModelUsage | null = null;
    for await (const event of model.stream({ ...asked, messages }, { signal })) {
      if (event.type === 'tool_call' && event.choice === 0) {
        const named = event.name === undefined ? undefined : functions.get(event.name);
        const draft = drafts.get(event.index);
        if (draft !== undefined) {
          draft.arguments += event.arguments;
          draft.extra = { ...draft.extra, ...event.extra };
        } else if (named !== undefined && !clientIndexes.has(event.index)) {
          const id = event.id ?? `call_${caller.requestId}_${event.index}`;
          drafts.set(event.index, { id, named, arguments: event.arguments, extra: event.extra ?? {} });
        } else {
          const index = clientIndexes.get(event.index) ?? clientIndexes.size;
          clientIndexes.set(event.index, index);
          yield { ...event, index };
        }
      } else if (event.type === 'finish' && event.choice === 0) finish = event;
      else if (event.type === 'usage') ({ usage } = event);
      else {
        if (event.type === 'text' && event.choice === 0) text += event.text;
        yield event;
      }
    }
    const hasClientCalls = clientIndexes.size > 0;
    const made = [...drafts.values()];
    const toRun = hasClientCalls ? [] : made.slice(0, limits.chatCallsPerAnswer);
    const conversation = { caller, mediaRules: model.mediaRules, messages, signal };
    const reports = await Promise.all(
      toRun.map(({ named, arguments: args }) => calls.run(named, argumentsOf(args, limits), conversation)),
    );
    return {
      finish,
      usage,
      hasClientCalls,
      reports,
      notRun: hasClientCalls ? 0 : made.length - toRun.length,
      next: (notes) => [assistantMessage(text, made), ...toolMessages(made, reports), ...mediaMessages(reports, notes)],
    };
  };
};

/** The arguments of a call; null when their text is no JSON object. */
const argumentsOf = (text: string, limits: NativeRoundOptions['limits']): JsonObject | null => {
  if (text.trim() === '') return {};
  const parsed = parseJson(text, limits);
  return parsed.ok && isJsonObject(parsed.value as JsonValue) ? (parsed.value as JsonObject) : null;
};

const assistantMessage = (text: string, made: readonly CallDraft[]): ChatMessage => ({
  role: 'assistant',
  content: text === '' ? null : text,
  tool_calls: made.map(({ id, named, arguments: args, extra }) => ({
    ...extra,
    id,
    type: 'function',
    function: { name: named.name, arguments: args },
  })),
});

/** Vendors want an answer to every call, also to one that was not run. */
const toolMessages = (made: readonly CallDraft[], reports: readonly ToolReport[]): readonly ChatMessage[] =>
  made.map(({ id }, index) => ({
    role: 'tool',
    tool_call_id: id,
    content: reports[index]?.text ?? 'Not run: too many calls in one answer.',
  }));

/** A message of the role `tool` takes text alone, so that pictures follow in one of the user's. */
const mediaMessages = (reports: readonly ToolReport[], notes: readonly string[]): readonly ChatMessage[] => {
  const media = reports.flatMap((report) => report.media);
  if (media.length === 0 && notes.length === 0) return [];
  const text = [...(media.length === 0 ? [] : ['Files of the results above:']), ...notes].join('\n\n');
  return [{ role: 'user', content: media.length === 0 ? text : [{ type: 'text', text }, ...media] }];
};
