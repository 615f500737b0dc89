import type {
  AnswerChoice,
  ChatToolCall,
  FinishReason,
  ModelAnswer,
  ModelEvent,
  ModelNotice,
  ModelUsage,
} from '../../ports/language-model.ts';
import { mergeFields, type GrowingFields } from './merge-fields.ts';

/** Puts an answer together from its events, one by one: `answer()` is what has come so far. */
export type AnswerCollector = { add(event: ModelEvent): void; answer(): ModelAnswer };

type CallDraft = { id: string; name: string; arguments: string[]; extra: GrowingFields };

type ChoiceDraft = {
  readonly text: string[];
  readonly reasoning: string[];
  readonly calls: Map<number, CallDraft>;
  reason: FinishReason;
  readonly choiceFields: GrowingFields;
  readonly messageFields: GrowingFields;
};

export const createAnswerCollector = (): AnswerCollector => {
  const notices: ModelNotice[] = [];
  const choices = new Map<number, ChoiceDraft>();
  let id: string | null = null;
  let model: string | null = null;
  let usage: ModelUsage | null = null;
  const fields: GrowingFields = {};

  const choiceOf = (index: number): ChoiceDraft => {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const draft: ChoiceDraft = {
      text: [],
      reasoning: [],
      calls: new Map(),
      reason: 'stop',
      choiceFields: {},
      messageFields: {},
    };
    choices.set(index, draft);
    return draft;
  };

  return {
    add: (event) => {
      switch (event.type) {
        case 'notice':
          notices.push(event.notice);
          return;
        case 'start':
          id = event.id ?? id;
          model = event.model ?? model;
          return;
        case 'text':
          choiceOf(event.choice).text.push(event.text);
          return;
        case 'reasoning':
          choiceOf(event.choice).reasoning.push(event.text);
          return;
        case 'tool_call':
          addCall(choiceOf(event.choice).calls, event);
          return;
        case 'finish':
          choiceOf(event.choice).reason = event.reason;
          return;
        case 'usage':
          usage = event.usage;
          return;
        case 'extra': {
          mergeFields(fields, event.chunkFields ?? {}, false);
          if (event.choiceFields === undefined && event.deltaFields === undefined) return;
          const choice = choiceOf(event.choice);
          mergeFields(choice.choiceFields, event.choiceFields ?? {}, false);
          mergeFields(choice.messageFields, event.deltaFields ?? {}, true);
          return;
        }
        default:
      }
    },
    answer: () => ({
      id,
      model,
      choices: [...choices].toSorted(([left], [right]) => left - right).map(([index, draft]) => choice(index, draft)),
      usage,
      fields: { ...fields },
      notices: [...notices],
    }),
  };
};

/** The whole answer of a stream. */
export const collectAnswer = async (events: AsyncIterable<ModelEvent>): Promise<ModelAnswer> => {
  const collector = createAnswerCollector();
  for await (const event of events) collector.add(event);
  return collector.answer();
};

const addCall = (calls: Map<number, CallDraft>, event: Extract<ModelEvent, { type: 'tool_call' }>): void => {
  const call = calls.get(event.index) ?? { id: '', name: '', arguments: [], extra: {} };
  calls.set(event.index, call);
  if (call.id === '') call.id = event.id ?? '';
  if (call.name === '') call.name = event.name ?? '';
  call.arguments.push(event.arguments);
  mergeFields(call.extra, event.extra ?? {}, true);
};

const choice = (index: number, draft: ChoiceDraft): AnswerChoice => {
  const calls = [...draft.calls]
    .toSorted(([left], [right]) => left - right)
    .map(([, call]): ChatToolCall => ({
      ...call.extra,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments.join('') },
    }));
  return {
    ...draft.choiceFields,
    index,
    message: {
      ...draft.messageFields,
      role: 'assistant',
      // OpenAI's answers have null where a model said nothing and called tools.
      content: draft.text.length === 0 ? null : draft.text.join(''),
      ...(draft.reasoning.length === 0 ? {} : { reasoning_content: draft.reasoning.join('') }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finish_reason: draft.reason,
  };
};
