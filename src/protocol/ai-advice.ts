import { z } from 'zod';

export const AdviceIntent = z.enum([
  'relay',
  'display_resource',
  'summarize',
  'explain',
  'request_followup',
  'suggest_next_step',
  'none',
]);

export const RenderHint = z.enum(['text', 'markdown', 'image', 'audio', 'video', 'file_link', 'table', 'none']);

/** How the plugin would like the model to hand over this result (§5.9). Below every instruction, and below the facts. */
export const AiAdvice = z
  .strictObject({
    intent: AdviceIntent,
    message: z.string().max(4_000).nullable().default(null),
    resourceIds: z.array(z.string().min(1).max(128)).max(256).default([]),
    renderHint: RenderHint.nullable().default(null),
    priority: z.enum(['low', 'normal', 'high']).default('normal'),
  })
  .meta({ id: 'ai-advice', title: 'AiAdvice', description: 'How the model might hand over this result (§5.9).' });
export type AiAdvice = z.infer<typeof AiAdvice>;
