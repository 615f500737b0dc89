import type { ModelUsage } from '../../../ports/language-model.ts';
import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { JsonValue } from '../../../protocol/json.ts';
import { countOf } from '../json-fields.ts';

/** Usage as it was told, with the three counts in any case. Null when there is none. */
export const openAiUsage = (value: JsonValue | undefined): ModelUsage | null => {
  if (!isJsonObject(value)) return null;
  const prompt = countOf(value['prompt_tokens']);
  const completion = countOf(value['completion_tokens']);
  const { total_tokens: total } = value;
  return {
    ...value,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: typeof total === 'number' ? total : prompt + completion,
  };
};
