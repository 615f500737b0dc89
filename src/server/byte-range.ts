import type { ByteRange } from '../ports/resource-store.ts';

export type RequestedRange = ByteRange | 'whole' | 'unsatisfiable';

/** Ranges of one header beyond which nobody means them (RFC 9110 §17.15). */
const MOST_RANGES = 32;

/**
 * The part that a `Range` header asks for (RFC 9110 §14). Units other than bytes and malformed headers are ignored, as
 * the RFC says. Of several ranges those beyond the end fall away; when the rest is one connected part that is sent,
 * and otherwise the whole, which the RFC allows in place of many parts. When none is left, nothing can be satisfied.
 */
export const requestedRange = (header: string | undefined, sizeBytes: number): RequestedRange => {
  const set = /^bytes=(.*)$/i.exec(header?.trim() ?? '')?.[1];
  if (set === undefined) return 'whole';
  // A list may have empty members (RFC 9110 §5.6.1).
  const members = set.split(',').map((member) => member.trim());
  const specs = members.filter((member) => member !== '');
  if (specs.length === 0 || specs.length > MOST_RANGES) return 'whole';
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = rangeOf(spec, sizeBytes);
    if (range === 'malformed') return 'whole';
    if (range !== 'unsatisfiable') ranges.push(range);
  }
  return ranges.length === 0 ? 'unsatisfiable' : (connected(ranges) ?? 'whole');
};

const rangeOf = (spec: string, sizeBytes: number): ByteRange | 'unsatisfiable' | 'malformed' => {
  const match = /^(\d*)-(\d*)$/.exec(spec);
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return 'malformed';
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'malformed';
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
};

/** The ranges as one, where they overlap or touch. */
const connected = (ranges: readonly ByteRange[]): ByteRange | null => {
  const [first, ...others] = ranges.toSorted((a, b) => a.start - b.start);
  let whole = first as ByteRange;
  for (const { start, end } of others) {
    if (start > whole.end + 1) return null;
    whole = { start: whole.start, end: Math.max(whole.end, end) };
  }
  return whole;
};
