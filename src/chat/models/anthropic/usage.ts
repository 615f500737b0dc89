import type { ModelUsage } from '../../../ports/language-model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { countOf } from '../json-fields.ts';

/** Anthropic counts what it took from its cache, and what it put there, beside the rest of the input; OpenAI within it. */
export const anthropicUsage = (usage: JsonObject): ModelUsage => {
  const { input_tokens: input, output_tokens: output, ...rest } = usage;
  const cached = countOf(rest['cache_read_input_tokens']);
  const written = countOf(rest['cache_creation_input_tokens']);
  const prompt = countOf(input) + cached + written;
  const completion = countOf(output);
  const details = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    ...details,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  };
};
