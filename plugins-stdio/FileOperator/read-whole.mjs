import { constants } from 'node:fs';
import { fault } from './faults.mjs';

/** All bytes of a regular file and its `stats`; a fault when it has more than `limit` bytes. */
export async function readWhole(entry, { folder, name }, limit, advice) {
  const { handle, stats } = await folder.openFile(name, constants.O_RDONLY);
  try {
    if (stats.size > BigInt(limit)) throw tooLarge(entry, Number(stats.size), limit, advice);
    const bytes = await handle.readFile();
    if (bytes.length > limit) throw tooLarge(entry, bytes.length, limit, advice);
    return { bytes, stats };
  } finally {
    await handle.close();
  }
}

function tooLarge(entry, size, limit, advice) {
  return fault('FILES.TOO_LARGE', entry, `it has ${size} bytes; at most ${limit} are possible here. ${advice}`, {
    target: entry.target,
    details: { sizeBytes: size, limitBytes: limit },
  });
}
