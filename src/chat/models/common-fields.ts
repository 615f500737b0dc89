import { isJsonObject } from '../../lib/is-json-object.ts';
import type { ChatRequest } from '../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Mapping } from './request-field.ts';

/** Fields that say how an answer is carried, which the transport settles. */
const SETTLED = new Set(['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice']);

/** Fields without which a client would be given another kind of answer than it asked for. */
const REFUSED: Readonly<Record<string, (value: JsonValue) => string | null>> = {
  logprobs: (value) => (value === true ? 'cannot be true: this upstream gives no log probabilities' : null),
  top_logprobs: (value) => (value === 0 ? null : 'is not possible: this upstream gives no log probabilities'),
  modalities: (value) =>
    Array.isArray(value) && value.some((kind) => kind !== 'text') ? 'may only be text with this upstream' : null,
  audio: () => 'is not possible: this upstream answers in text',
  web_search_options: () => 'is not possible with this upstream',
  functions: () => 'is not taken by this upstream; use tools',
  function_call: () => 'is not taken by this upstream; use tool_choice',
};

/**
 * Judges what a mapping has no place for: what would change the kind of the answer is refused, the rest is left out
 * with a notice. Null stands for "not given", as in OpenAI's own interface.
 */
export const judgeOtherFields = (request: ChatRequest, mapped: readonly string[], mapping: Mapping): void => {
  for (const [name, value] of Object.entries(request)) {
    if (value === null || value === undefined || SETTLED.has(name) || mapped.includes(name)) continue;
    const refusal = Object.hasOwn(REFUSED, name) ? REFUSED[name]?.(value) : undefined;
    if (typeof refusal === 'string') throw mapping.refused([name], refusal);
    // Said to be off: nothing is lost.
    if (refusal === null || (value === false && name !== 'parallel_tool_calls')) continue;
    if (name === 'parallel_tool_calls' && value === true) continue;
    mapping.notice([name], 'was left out: this upstream has nothing like it');
  }
};

/** `stop` as a list. */
export const stopsOf = ({ stop }: ChatRequest, mapping: Mapping): readonly string[] => {
  if (stop === undefined || stop === null) return [];
  const list = Array.isArray(stop) ? (stop as readonly JsonValue[]) : [stop];
  return list.map((item, index) => {
    if (typeof item !== 'string') throw mapping.refused(['stop', index], 'must be a text');
    return item;
  });
};

/** How many tokens an answer may have, under its new or its old name; null when the request does not say. */
export const mostTokensOf = (request: ChatRequest): JsonValue =>
  request['max_completion_tokens'] ?? request['max_tokens'] ?? null;

export type AnswerFormat =
  | { readonly type: 'text' | 'json' }
  | { readonly type: 'schema'; readonly schema: JsonObject };

/** The form that `response_format` asks for. */
export const answerFormatOf = ({ response_format: format }: ChatRequest, mapping: Mapping): AnswerFormat => {
  if (format === undefined || format === null) return { type: 'text' };
  const type = isJsonObject(format) ? format['type'] : undefined;
  if (type === 'text') return { type: 'text' };
  if (type === 'json_object') return { type: 'json' };
  const described = isJsonObject(format) && type === 'json_schema' ? format['json_schema'] : undefined;
  if (isJsonObject(described) && isJsonObject(described['schema']))
    return { type: 'schema', schema: described['schema'] };
  throw mapping.refused(['response_format'], 'must be of type text, json_object, or json_schema with a schema');
};

/** Only the fields that have a value. */
export const given = (fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null),
  );
