import { createReadStream, createWriteStream } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { configure, ZipWriter } from '@zip.js/zip.js';

// Everything runs in this one process, which its host can end.
configure({ useWebWorkers: false });

/** ZIP counts from 1980, in local time; the files that came in have no time of their own. */
const NO_TIME = new Date(1980, 0, 1);

/**
 * Writes a ZIP of `entries` ({ name, path }) to the file `target`, a piece at a time. `onBytes` hears how many bytes of
 * the entries have been read so far.
 */
export async function writeArchive(target, entries, { level, signal, onBytes }) {
  const archive = new ZipWriter(Writable.toWeb(createWriteStream(target)), { level, lastModDate: NO_TIME, signal });
  let read = 0;
  for (const { name, path } of entries) {
    const counted = new TransformStream({
      transform: (chunk, controller) => {
        read += chunk.length;
        onBytes(read);
        controller.enqueue(chunk);
      },
    });
    await archive.add(name, Readable.toWeb(createReadStream(path)).pipeThrough(counted));
  }
  await archive.close();
}
