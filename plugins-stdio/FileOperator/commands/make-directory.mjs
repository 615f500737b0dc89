import { atEntry, entryOf, makeFolders, refuseReadOnly } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';

/** Makes a folder, and those above it. One that is there already is fine. */
export async function makeDirectory({ roots }, args) {
  const entry = entryOf(roots, args);
  refuseReadOnly(entry);
  const createdFolders = await makeFolders(entry, entry.segments.length);
  await atEntry(entry, async ({ name, stats }) => {
    if (name !== null && !stats?.isDirectory())
      throw fault('FILES.EXISTS', entry, 'a file of that name is there already.');
  });
  const operation = createdFolders > 0 ? 'created' : 'unchanged';
  return {
    data: { operation, root: entry.root, path: entry.path, createdFolders },
    presentation: {
      summary: `${placeName(entry)} ${createdFolders > 0 ? 'created' : 'was there already'}`,
      preferredView: 'file-change',
    },
  };
}
