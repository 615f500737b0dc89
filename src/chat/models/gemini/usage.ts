import type { ModelUsage } from '../../../ports/language-model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { countOf } from '../json-fields.ts';

/** Gemini counts thoughts beside what it says, and what its own tools read beside the prompt; OpenAI within them. */
export const geminiUsage = (usage: JsonObject): ModelUsage => {
  const thoughts = countOf(usage['thoughtsTokenCount']);
  const prompt = countOf(usage['promptTokenCount']) + countOf(usage['toolUsePromptTokenCount']);
  const completion = countOf(usage['candidatesTokenCount']) + thoughts;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: countOf(usage['totalTokenCount']) || prompt + completion,
    prompt_tokens_details: { cached_tokens: countOf(usage['cachedContentTokenCount']) },
    completion_tokens_details: { reasoning_tokens: thoughts },
  };
};
