import type { StoredBlob } from '../ports/resource-store.ts';
import type { ObtainedBlob } from './describe-blob.ts';
import { nameInUrl } from './external-resource.ts';
import type { ResourceDependencies } from './resource-context.ts';

export type Mirrored =
  | { readonly ok: true; readonly obtained: ObtainedBlob }
  /** `message` has no query and no credentials in it. */
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Fetches external resources into the store, of at most `room` bytes; all of one result together have `mirrorMs`. */
export type Mirror = (url: URL, room: number) => Promise<Mirrored>;

export const createMirror = (
  { fetch, store, limits }: Pick<ResourceDependencies, 'fetch' | 'store' | 'limits'>,
  signal: AbortSignal | undefined,
): Mirror => {
  const timeoutMs = limits.mirrorMs;
  const late = failed('TIMEOUT', 'there was no time left for it');
  let end: AbortSignal | null = null;

  return async (url, room) => {
    if (fetch === null) return failed('NOT_SERVED', 'this server fetches nothing');
    const clock = (end ??= AbortSignal.timeout(timeoutMs));
    if (clock.aborted) return late;
    const stop = signal === undefined ? clock : AbortSignal.any([clock, signal]);
    const maxBytes = Math.min(limits.resourceBytes, room);
    let blob: StoredBlob | null = null;
    const receive = async (body: ReadableStream<Uint8Array>) => {
      blob = await store.put(body, { maxBytes });
    };
    const answer = await fetch({ url: url.href, maxBytes, timeoutMs, signal: stop, receive });
    if (!answer.ok) return clock.aborted ? late : failed(answer.code, answer.message);
    if (blob === null) return failed('STATUS', `${url.host} answered with status ${answer.status}`);
    const fileName = nameInUrl(new URL(answer.url));
    return { ok: true, obtained: { blob, declared: { http: answer.headers.get('content-type'), fileName } } };
  };
};

const failed = (code: string, message: string): Mirrored => ({ ok: false, code, message });
