import { z } from 'zod';
import { RequestId } from './ids.ts';

/** RFC 9457 problem details, with a stable `code` of ours and, for bad input, the places at fault. */
export const Problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    requestId: RequestId.optional(),
    retryAfter: z.int().min(0).optional().meta({
      description: 'Seconds; only in the `problem` event of a stream, which can have no `Retry-After` any more.',
    }),
    errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'problem', title: 'Problem', description: 'An HTTP error body (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;
