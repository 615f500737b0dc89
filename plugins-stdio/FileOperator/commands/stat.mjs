import { constants } from 'node:fs';
import { createHash } from 'node:crypto';
import { readlink } from 'node:fs/promises';
import { describeStats } from '../describe-stats.mjs';
import { atEntry, entryOf } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { RESOURCE_BYTES } from '../limits.mjs';
import { readPieces } from '../../lib/read-bytes.mjs';

/** Facts about one entry. A link is described itself, not what it leads to. */
export async function stat({ roots }, args, call) {
  const entry = entryOf(roots, args, { isOptional: true });
  const data = await atEntry(
    entry,
    async ({ folder, name, stats: found }) => {
      const stats = name === null ? await folder.stat() : found;
      if (stats === null) throw fault('FILES.NOT_FOUND', entry, 'it does not exist. List shows what there is.');
      const facts = describeStats(stats);
      const isMeasured = facts.kind === 'file' && facts.sizeBytes <= RESOURCE_BYTES;
      return {
        root: entry.root,
        path: entry.path,
        ...facts,
        permissions: (Number(stats.mode) & 0o777).toString(8).padStart(3, '0'),
        isWritable: !entry.place.readOnly && (Number(stats.mode) & 0o222) !== 0,
        names: Number(stats.nlink),
        linkTarget: facts.kind === 'link' ? shownTarget(await readlink(folder.at(name))) : null,
        sha256: isMeasured ? await hashOf(folder, name, call.signal) : null,
      };
    },
    { followLast: false },
  );
  return {
    data,
    presentation: { summary: `${placeName(entry)} is a ${data.kind}`, preferredView: 'file-facts' },
  };
}

/** An absolute target is a path of the host, which no answer shows. */
function shownTarget(target) {
  return target.startsWith('/') || /^[A-Za-z]:/.test(target) ? null : target.toWellFormed();
}

async function hashOf(folder, name, signal) {
  const { handle } = await folder.openFile(name, constants.O_RDONLY);
  try {
    const hash = createHash('sha256');
    for await (const piece of readPieces(handle, { signal })) hash.update(piece);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}
