import type { Limits } from '../../lib/limits.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { ChatMessage, ChatRequest, LanguageModel, ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { createAnswerCollector } from '../models/collect-answer.ts';
import type { ConversationMedia } from './calling-conversation.ts';
import type { FunctionCalls } from './function-calls.ts';
import type { ChatCaller } from './chat-caller.ts';
import { functionTools, type NamedFunction } from './function-names.ts';
import { isCutOff } from './is-cut-off.ts';
import type { PlayRound } from './round.ts';
import { toolChoiceAfterCalls } from './tool-choice.ts';
import type { ToolReport } from './tool-report.ts';

export type NativeRoundOptions = {
  readonly model: LanguageModel;
  readonly calls: FunctionCalls;
  readonly request: ChatRequest;
  readonly caller: ChatCaller;
  readonly functions: ReadonlyMap<string, NamedFunction>;
  readonly media: ConversationMedia;
  readonly limits: Pick<Limits, 'chatCallsPerAnswer' | 'jsonDepth' | 'jsonNodes'>;
};

/** A call of one of our functions, as its pieces come. */
type CallDraft = { readonly id: string; readonly named: NamedFunction; arguments: string };

/**
 * Rounds of a model that calls functions in its vendor's own way: the server's are run here, the client's own go to it.
 * When an answer calls both, the client's go first and ours are not run; the model asks again once it has their results.
 */
export const nativeRounds = (options: NativeRoundOptions): PlayRound => {
  const { model, calls, request, caller, functions, media, limits } = options;
  const own = Array.isArray(request['tools']) ? request['tools'] : [];
  const tools = [...own, ...functionTools(functions.values())];
  let asked: ChatRequest = tools.length === 0 ? request : { ...request, tools };

  return async function* (messages, signal) {
    const drafts = new Map<number, CallDraft>();
    /** The client's calls are numbered as if there were no others. */
    const clientIndexes = new Map<number, number>();
    /** What the vendor wants back in the next request: the text, our calls, and what it has signed. */
    const answer = createAnswerCollector();
    let finish: Extract<ModelEvent, { type: 'finish' }> | null = null;
    let usage: ModelUsage | null = null;
    for await (const event of model.stream({ ...asked, messages }, { signal })) {
      if (event.type === 'finish' && event.choice === 0) finish = event;
      else if (event.type === 'usage') ({ usage } = event);
      else if (event.type === 'tool_call' && event.choice === 0) {
        const { index } = event;
        const named = event.name === undefined ? undefined : functions.get(event.name);
        const draft = drafts.get(index);
        if (draft !== undefined) {
          draft.arguments += event.arguments;
          answer.add(event);
        } else if (named !== undefined && !clientIndexes.has(index)) {
          // Ids that a vendor leaves out must differ from round to round.
          const id = event.id ?? `call_${messages.length}_${index}`;
          drafts.set(index, { id, named, arguments: event.arguments });
          answer.add({ ...event, id });
        } else {
          const place = clientIndexes.get(index) ?? clientIndexes.size;
          clientIndexes.set(index, place);
          yield { ...event, index: place };
        }
      } else {
        if (!('choice' in event) || event.choice === 0) answer.add(event);
        yield event;
      }
    }
    const hasClientCalls = clientIndexes.size > 0 || finish?.reason === 'function_call';
    const given = [...drafts.values()].map((draft) => ({ ...draft, args: argumentsOf(draft.arguments, limits) }));
    // An answer that was cut off within a call ends there, as it would for a client that makes its calls itself.
    const isOver = hasClientCalls || (isCutOff(finish) && given.some(({ args }) => args === null));
    const made = isOver ? [] : given;
    const toRun = made.slice(0, limits.chatCallsPerAnswer);
    const conversation = { caller, media, messages, signal };
    const reports = await Promise.all(toRun.map(({ named, args }) => calls.run(named, args, conversation)));
    if (made.length > 0) asked = toolChoiceAfterCalls(asked);
    return {
      finish,
      usage,
      hasClientCalls,
      reports,
      notRun: made.length - toRun.length,
      next: (notes) => [messageOf(answer), ...toolMessages(made, reports), ...mediaMessages(reports, notes)],
    };
  };
};

/** The arguments of a call; null when their text is no JSON object. */
const argumentsOf = (text: string, limits: NativeRoundOptions['limits']): JsonObject | null => {
  if (text.trim() === '') return {};
  const parsed = parseJson(text, limits);
  return parsed.ok && isJsonObject(parsed.value as JsonValue) ? (parsed.value as JsonObject) : null;
};

const messageOf = (collector: ReturnType<typeof createAnswerCollector>): ChatMessage =>
  collector.answer().choices[0]?.message ?? { role: 'assistant', content: null };

/** Vendors want an answer to every call, also to one that was not run. */
const toolMessages = (
  made: readonly { readonly id: string }[],
  reports: readonly ToolReport[],
): readonly ChatMessage[] =>
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
