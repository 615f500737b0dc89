import { makeZip } from 'client-zip';
import { formatBytes } from '../lib/bytes.ts';
import type { Failure } from '../lib/failure.ts';
import { BlobTooLarge, type LocalFile, type LocalFileRefusal, type LocalFiles } from '../ports/resource-store.ts';
import type { Warning } from '../protocol/warning.ts';
import type { ObtainedBlob } from './describe-blob.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';

export type PublishedDirectory =
  | { readonly ok: true; readonly obtained: ObtainedBlob; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly failure: Pick<Failure, 'code' | 'message'> };

/** The same files give the same archive: it has no times of theirs. ZIP counts from 1980, in local time. */
const NO_TIME = new Date(1980, 0, 1);

/**
 * Packs a directory of the call into one ZIP and stores it, a piece at a time. Links in it are not followed: each file
 * is opened by the rules of a `localPath` of its own.
 */
export const publishDirectory = async (
  path: string,
  fileName: string | undefined,
  scope: ResourceScope,
  { files, store, limits }: ResourceDependencies,
): Promise<PublishedDirectory | LocalFileRefusal | 'not-a-directory'> => {
  const root = files === null ? null : await scope.directory();
  if (files === null || root === null) return 'outside-root';
  const listing = await files.list(root, path, { maxEntries: limits.directoryEntries });
  if (listing === 'too-many') return tooLarge(`has more than ${limits.directoryEntries} files and folders`);
  if (typeof listing === 'string') return listing;

  const state: State = { skipped: listing.skipped, open: null };
  const archive = makeZip(entriesOf(listing.files, root, path, files, state));
  try {
    const blob = await store.put(archive, { maxBytes: limits.resourceBytes });
    return {
      ok: true,
      obtained: { blob, declared: { fileName: fileName ?? archiveName(path) } },
      warnings: skipped(state.skipped),
    };
  } catch (error) {
    if (error instanceof BlobTooLarge) return tooLarge(`is larger than ${formatBytes(error.maxBytes)} as an archive`);
    throw error;
  } finally {
    // An archive that is broken off leaves the file that it was at.
    await state.open?.close();
  }
};

/** How far the packing is. */
type State = { skipped: number; open: LocalFile | null };

async function* entriesOf(
  names: readonly string[],
  root: string,
  path: string,
  files: LocalFiles,
  state: State,
): AsyncGenerator<{ name: string; lastModified: Date; input: ReadableStream<Uint8Array> | Uint8Array }> {
  for (const name of names) {
    const file = await files.open(root, `${path}/${name}`);
    // It was a file a moment ago. What it has become is not followed.
    if (typeof file === 'string') {
      state.skipped += 1;
      continue;
    }
    state.open = file;
    yield { name, lastModified: NO_TIME, input: file.stream() };
    state.open = null;
    await file.close();
  }
}

const archiveName = (path: string): string => {
  const name = path.split('/').findLast((step) => step !== '' && step !== '.');
  return `${name ?? 'directory'}.zip`;
};

const skipped = (count: number): Warning[] =>
  count === 0
    ? []
    : [
        {
          code: 'DIRECTORY_ENTRIES_SKIPPED',
          message: `${count} links or special files of the directory are not in the archive`,
          target: null,
          details: { count },
        },
      ];

const tooLarge = (message: string): PublishedDirectory => ({
  ok: false,
  failure: { code: 'RESOURCE_TOO_LARGE', message },
});
