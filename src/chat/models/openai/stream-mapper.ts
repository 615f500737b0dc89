import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ModelEvent } from '../../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { objectsOf, orNothing, textOf } from '../json-fields.ts';
import type { StreamMapper } from '../stream-mapper.ts';
import { contentEvents } from './content-events.ts';
import { openAiFinishReason } from './finish-reason.ts';
import { createCallIndexes, type CallIndexes } from './call-indexes.ts';
import { openAiUsage } from './usage.ts';

type Choice = { readonly calls: CallIndexes; hasContent: boolean; isFinished: boolean };

/** Chunks of a stream, or a whole answer, whose choices have a `message` in place of a `delta`. */
export const createOpenAiMapper = (): StreamMapper => {
  const choices = new Map<number, Choice>();
  let hasStarted = false;

  const choiceOf = (index: number): Choice => {
    const known = choices.get(index) ?? { calls: createCallIndexes(), hasContent: false, isFinished: false };
    choices.set(index, known);
    return known;
  };

  const choiceEvents = (body: JsonObject): ModelEvent[] => {
    const { index: at, delta, message, finish_reason: finish, ...choiceFields } = body;
    const index = typeof at === 'number' ? at : 0;
    const choice = choiceOf(index);
    const said = isJsonObject(delta) ? delta : isJsonObject(message) ? message : {};
    const events = deltaEvents(index, said, choice.calls);
    choice.hasContent ||= events.length > 0;
    const fields = withoutNulls(choiceFields);
    if (fields !== null) events.push({ type: 'extra', choice: index, choiceFields: fields });
    if (typeof finish === 'string' && finish !== '' && !choice.isFinished) {
      choice.isFinished = true;
      events.push({ type: 'finish', choice: index, ...openAiFinishReason(finish) });
    }
    return events;
  };

  return {
    events: (body) => {
      const { id, model, choices: list, usage, object: _object, created: _created, ...rest } = body;
      const events: ModelEvent[] = [];
      if (!hasStarted) {
        hasStarted = true;
        events.push({ type: 'start', id: orNothing(id), model: orNothing(model) });
      }
      for (const choice of objectsOf(list)) events.push(...choiceEvents(choice));
      const chunkFields = withoutNulls(rest);
      if (chunkFields !== null) events.push({ type: 'extra', choice: 0, chunkFields });
      const used = openAiUsage(usage);
      if (used !== null) events.push({ type: 'usage', usage: used });
      return events;
    },
    end: (isDone) => {
      if (choices.size === 0) return null;
      const open = [...choices].filter(([, { isFinished }]) => !isFinished);
      if (open.length === 0) return [];
      // Some servers leave the reason out; the mark at the end says that the answer is whole all the same.
      if (!isDone || open.some(([, { hasContent }]) => !hasContent)) return null;
      return open.map(([choice]) => ({ type: 'finish', choice, reason: 'stop', native: null }));
    },
  };
};

const deltaEvents = (choice: number, delta: JsonObject, calls: CallIndexes): ModelEvent[] => {
  const { role: _role, content, reasoning_content: thought, reasoning, tool_calls: toolCalls, ...rest } = delta;
  const events: ModelEvent[] = [];
  // Two names for the same thing; a server that sends both says it twice.
  const thinking = textOf(thought) || textOf(reasoning);
  if (thinking !== '') events.push({ type: 'reasoning', choice, text: thinking });
  events.push(...contentEvents(choice, content));
  for (const call of objectsOf(toolCalls)) {
    const { index: at, id, type: _type, function: called, ...extra } = call;
    const named = isJsonObject(called) ? called : {};
    const { index, isNew } = calls.indexOf(typeof at === 'number' ? at : null, textOf(id));
    events.push({
      type: 'tool_call',
      choice,
      index,
      ...(isNew ? { id: textOf(id) || `call_${choice}_${index}`, name: textOf(named['name']) } : {}),
      arguments: argumentsOf(named['arguments']),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    });
  }
  const deltaFields = withoutNulls(rest);
  if (deltaFields !== null) events.push({ type: 'extra', choice, deltaFields });
  return events;
};

/** A text, or the object itself from servers that mistake it. */
const argumentsOf = (value: JsonValue | undefined): string =>
  isJsonObject(value) ? JSON.stringify(value) : textOf(value);

/** Fields that say something; null when there are none. */
const withoutNulls = (fields: JsonObject): JsonObject | null => {
  const telling = Object.entries(fields).filter(([, value]) => value !== null);
  return telling.length === 0 ? null : Object.fromEntries(telling);
};
