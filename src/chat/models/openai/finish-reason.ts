import type { FinishReason } from '../../../ports/language-model.ts';

/** The words that servers which imitate OpenAI use beside its own. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'function_call',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_length: 'length',
  tool_use: 'tool_calls',
  tool_call: 'tool_calls',
  safety: 'content_filter',
  sensitive: 'content_filter',
};

export const openAiFinishReason = (word: string): { readonly reason: FinishReason; readonly native: string | null } => {
  const reason = Object.hasOwn(REASONS, word) ? (REASONS[word] ?? 'stop') : 'stop';
  return { reason, native: reason === word ? null : word };
};
