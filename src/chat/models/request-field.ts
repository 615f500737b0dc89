import { toJsonPointer } from '../../lib/json-pointer.ts';
import type { ModelNotice } from '../../ports/language-model.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';

/** A place in a request, such as `['messages', 0, 'content']`. */
export type Path = readonly (string | number)[];

/** What a mapping of a request notes of fields that do not get through; `refused` is thrown. */
export type Mapping = {
  readonly notices: readonly ModelNotice[];
  notice(path: Path, message: string): void;
  refused(path: Path, message: string): UpstreamError;
};

/** Notices of one request that are kept: a client chooses how many unknown fields it sends. */
const MOST_NOTICES = 16;

export const createMapping = (): Mapping => {
  const notices = new Map<string, ModelNotice>();
  return {
    get notices() {
      return [...notices.values()];
    },
    notice: (path, message) => {
      // The same field of many messages is told once, where it was first.
      const kind = path.map((step) => (typeof step === 'number' ? '*' : step)).join('/');
      if (notices.size < MOST_NOTICES && !notices.has(kind))
        notices.set(kind, { pointer: toJsonPointer(path), message });
    },
    refused: (path, message) => {
      const pointer = toJsonPointer(path);
      return new UpstreamError({ code: 'UPSTREAM_UNSUPPORTED', message: `${pointer} ${message}`, pointer });
    },
  };
};
