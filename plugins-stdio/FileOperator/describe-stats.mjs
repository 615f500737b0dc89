import { kindOf } from '../lib/walk.mjs';

/** What answers say about an entry: its kind, size (null for all but files) and time of change. */
export function describeStats(stats) {
  const kind = kindOf(stats);
  return {
    kind,
    sizeBytes: kind === 'file' ? Number(stats.size) : null,
    modifiedAt: new Date(Number(stats.mtimeMs)).toISOString(),
  };
}
