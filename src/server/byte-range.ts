import type { ByteRange } from '../ports/resource-store.ts';

export type RequestedRange = ByteRange | 'whole' | 'unsatisfiable';

/**
 * The part that a `Range` header asks for (RFC 9110 §14). Units other than bytes, several ranges and malformed
 * headers are ignored, as the RFC allows; a range that lies beyond the end is unsatisfiable.
 */
export const requestedRange = (header: string | undefined, sizeBytes: number): RequestedRange => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
};
