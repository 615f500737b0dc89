import { formatBytes } from '../../src/lib/bytes.ts';
import { promptPathFault, promptTextOf, type PromptFiles } from '../../src/ports/prompt-files.ts';
import type { R2BucketLike } from './r2-bucket.ts';

/** Where prompts lie in the bucket, beside the resources. */
export const PROMPTS = 'prompts/';

/** Prompts as objects of an R2 bucket. Each is read anew when it is asked for, so a change is in the next request. */
export const createR2PromptFiles = (bucket: Pick<R2BucketLike, 'get'>, maxBytes: number): PromptFiles => ({
  read: async (path) => {
    const fault = promptPathFault(path);
    if (fault !== null) throw new Error(fault);
    const object = await bucket.get(PROMPTS + path);
    if (object === null) return null;
    if (object.size > maxBytes) {
      await object.body.cancel();
      throw new Error(`${path} has more than ${formatBytes(maxBytes)}`);
    }
    return promptTextOf(new Uint8Array(await new Response(object.body as BodyInit).arrayBuffer()), path);
  },
});
