import { lstatSync } from 'node:fs';
import { entryOf, inFolder } from '../entry.mjs';
import { compileGlob } from '../glob-pattern.mjs';
import { WALKED_ENTRIES } from '../limits.mjs';
import { workUntil } from '../../lib/call-time.mjs';
import { describeStats } from '../describe-stats.mjs';
import { walk } from '../../lib/walk.mjs';
import { placeName } from '../faults.mjs';

const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS = {
  name: (a, b) => compareText(a.path, b.path),
  size: (a, b) => (a.sizeBytes ?? -1) - (b.sizeBytes ?? -1) || compareText(a.path, b.path),
  modified: (a, b) => compareText(a.modifiedAt, b.modifiedAt) || compareText(a.path, b.path),
};

/** What is in a folder, a page at a time. */
export async function list({ roots }, args, call) {
  const { depth = 1, glob, kind = 'all', hidden = false, sort = 'name', order = 'ascending' } = args;
  const { offset = 0, limit = 200 } = args;
  const entry = entryOf(roots, args, { isOptional: true });
  const matches = glob === undefined ? () => true : compileGlob(glob, 'glob');
  const unreadable = [];
  const found = [];
  let walked = 0;
  /** Why the walk ended before its end. */
  const stops = [];

  await inFolder(entry, async (folder) => {
    const options = {
      depth,
      isWanted: ({ name }) => hidden || !name.startsWith('.'),
      onUnreadable: (path) => unreadable.push(path),
    };
    for await (const item of walk(folder, options)) {
      walked += 1;
      if (walked > WALKED_ENTRIES) stops.push(`after ${WALKED_ENTRIES} entries`);
      else if (walked % 64 === 0 && Date.now() > workUntil(call)) stops.push('when its time was used up');
      call.signal.throwIfAborted();
      if (stops.length > 0) break;
      if ((kind !== 'all' && kind !== item.kind) || !matches(item.path)) continue;
      // Not awaited: waiting for each of many entries costs more than all else here together.
      const stats = lstatSync(item.folder.at(item.name), { bigint: true, throwIfNoEntry: false });
      if (stats !== undefined) found.push({ path: below(entry, item.path), ...describeStats(stats) });
    }
  });

  found.sort(ORDERS[sort]);
  if (order === 'descending') found.reverse();
  const entries = found.slice(offset, offset + limit);
  const nextOffset = offset + entries.length < found.length ? offset + entries.length : null;
  const warnings = [];
  if (stops.length > 0) {
    warnings.push({
      code: 'OUTPUT_TRUNCATED',
      message: `The listing stopped ${stops[0]}; "total" counts only what was seen. List a folder further down, or give a smaller "depth".`,
      target: 'data.entries',
      details: { walkedEntries: walked - 1 },
    });
  }
  if (unreadable.length > 0) warnings.push(unreadableWarning(unreadable));
  return {
    status: stops.length === 0 ? 'success' : 'partial',
    data: { root: entry.root, path: entry.path, entries, total: found.length, offset, nextOffset },
    warnings,
    presentation: {
      summary: summaryOf(entry, entries.length, found.length, offset),
      preferredView: 'file-list',
    },
  };
}

export function below({ path }, relativePath) {
  return path === '' ? relativePath : `${path}/${relativePath}`;
}

export function unreadableWarning(paths) {
  return {
    code: 'FILES.UNREADABLE',
    message: `${paths.length} entries were left out, because they may not be read or their names are not UTF-8.`,
    target: 'data',
    details: { count: paths.length, paths: paths.slice(0, 20) },
  };
}

function summaryOf(entry, shown, total, offset) {
  const place = placeName(entry);
  if (total === 0) return `${place} holds nothing that fits`;
  const range = shown === total ? `${total}` : `${offset + 1} to ${offset + shown} of ${total}`;
  return `${range} ${total === 1 ? 'entry' : 'entries'} in ${place}`;
}
