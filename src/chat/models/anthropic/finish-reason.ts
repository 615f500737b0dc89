import type { FinishReason } from '../../../ports/language-model.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

export const anthropicFinishReason = (word: string): FinishReason =>
  Object.hasOwn(REASONS, word) ? (REASONS[word] ?? 'stop') : 'stop';
