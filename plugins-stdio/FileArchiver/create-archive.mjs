import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';
import { entryNames } from './entry-names.mjs';
import { ARCHIVE_BYTES } from './limits.mjs';
import { writeArchive } from './write-archive.mjs';

const FILE = 'archive.zip';

/** The end of the task: the archive, and what is in it. */
export async function createArchive({ files, fileName, folder, level }, job) {
  const names = entryNames(
    files.map((file) => file.fileName),
    folder,
  );
  const entries = files.map(({ localPath }, index) => ({ name: names[index], path: join(job.resourceDir, localPath) }));
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const target = join(job.resourceDir, FILE);
  await writeArchive(target, entries, {
    level,
    signal: job.signal,
    onBytes: (read) =>
      job.progress({
        stage: 'packing',
        progress: totalBytes === 0 ? 1 : Math.min(1, read / totalBytes),
        message: `${read} of ${totalBytes} bytes`,
      }),
  });
  const { size } = await stat(target);
  if (size > ARCHIVE_BYTES) {
    throw new PluginError(
      'RESOURCE_TOO_LARGE',
      `the archive has ${size} bytes; at most ${ARCHIVE_BYTES} can be handed over. Pack fewer files at a time`,
      { details: { archiveBytes: size, maxBytes: ARCHIVE_BYTES } },
    );
  }
  return {
    data: {
      archive: { $resource: 'archive' },
      entries: files.map(({ sizeBytes }, index) => ({ name: names[index], sizeBytes })),
      totalBytes,
      archiveBytes: size,
    },
    resources: [
      { id: 'archive', kind: 'archive', role: 'output', mimeType: 'application/zip', fileName, localPath: FILE },
    ],
    presentation: { preferredView: 'file-result', primaryResourceId: 'archive' },
  };
}
