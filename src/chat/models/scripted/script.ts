import { z } from 'zod';
import { JsonObject } from '../../../protocol/json.ts';

const DELAY = z.number().int().min(0).max(60_000).optional();

/** Something that a scripted answer consists of; the delay is waited before it. */
const Step = z.union([
  /** `pieces`: into how many texts of about the same length it is cut; one for each word when it is `words`. */
  z.strictObject({
    text: z.string(),
    pieces: z.union([z.number().int().min(1), z.literal('words')]).optional(),
    delayMs: DELAY,
  }),
  z.strictObject({ reasoning: z.string(), delayMs: DELAY }),
  z.strictObject({
    toolCall: z.strictObject({
      name: z.string().min(1),
      arguments: JsonObject.optional(),
      id: z.string().min(1).optional(),
    }),
    delayMs: DELAY,
  }),
  z.strictObject({
    error: z.strictObject({
      code: z.enum([
        'UPSTREAM_REFUSED',
        'UPSTREAM_RATE_LIMITED',
        'UPSTREAM_OVERLOADED',
        'UPSTREAM_FAILED',
        'UPSTREAM_UNREACHABLE',
        'UPSTREAM_CUT_OFF',
        'UPSTREAM_IDLE',
      ]),
      message: z.string().min(1),
      status: z.number().int().min(400).max(599).optional(),
      retryAfterMs: z.number().int().min(0).optional(),
      isRetryable: z.boolean().optional(),
    }),
    delayMs: DELAY,
  }),
]);
export type ScriptStep = z.infer<typeof Step>;

const Turn = z.strictObject({
  /** What the last message must be like; all that is given has to fit. Without it, any message fits. */
  when: z
    .strictObject({
      role: z.enum(['user', 'tool', 'assistant', 'system', 'developer']).optional(),
      /** Found in its text, in whatever case. */
      contains: z.string().min(1).optional(),
      /** Its whole text, but for white space around it. */
      equals: z.string().optional(),
    })
    .optional(),
  /** How often the turn answers before it is used up: once without `when`, else as often as it fits. */
  times: z.number().int().min(1).optional(),
  answer: z.array(Step).min(1),
  finish: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
  usage: z
    .strictObject({ prompt_tokens: z.number().int().min(0), completion_tokens: z.number().int().min(0) })
    .optional(),
});
export type ScriptTurn = z.infer<typeof Turn>;

/** What a scripted model says: the first turn that fits and is not used up answers. */
export const ModelScript = z.strictObject({
  /** The name under which it is offered. */
  model: z.string().min(1).optional(),
  turns: z.array(Turn).min(1),
});
export type ModelScript = z.infer<typeof ModelScript>;
