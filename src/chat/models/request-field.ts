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

/** Notices of one request that are kept: a conversation may have a thousand messages with the same field. */
const MOST_NOTICES = 16;

export const createMapping = (): Mapping => {
  const notices: ModelNotice[] = [];
  return {
    notices,
    notice: (path, message) => {
      if (notices.length < MOST_NOTICES && !notices.some((known) => known.message === message))
        notices.push({ pointer: toJsonPointer(path), message });
    },
    refused: (path, message) => {
      const pointer = toJsonPointer(path);
      return new UpstreamError({ code: 'UPSTREAM_UNSUPPORTED', message: `${pointer} ${message}`, pointer });
    },
  };
};
