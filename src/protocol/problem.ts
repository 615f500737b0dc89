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
    errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'problem', title: 'Problem', description: 'An HTTP error body (RFC 9457).' });
export type Problem = z.infer<typeof Problem>;
