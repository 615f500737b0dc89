import { hashJson } from '../../lib/hash-json.ts';
import type { CallbackContent } from './callback-verdict.ts';

/** SHA-256 of what a callback says. */
export const callbackDigest = (content: CallbackContent): Promise<string> =>
  hashJson(content.kind === 'result' ? content.result : content.progress);

/** The id of a callback whose sender gave it none. */
export const idOfDigest = (digest: string): string => `sha256:${digest}`;
