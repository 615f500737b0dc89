import { atEntry, entryOf, lockKeyOf, refuseReadOnly } from '../entry.mjs';
import { lockWait } from '../../lib/call-time.mjs';
import { removeEntry } from '../../lib/remove-entry.mjs';
import { fault, translated, placeName } from '../faults.mjs';
import { kindOf } from '../../lib/walk.mjs';

/** Deletes for good: a file, a link itself, an empty folder, or with `recursive` a folder and all in it. */
export async function remove({ roots, locks }, args, call) {
  const { recursive = false } = args;
  const entry = entryOf(roots, args);
  refuseReadOnly(entry);
  const counts = { files: 0, folders: 0 };
  const kind = await atEntry(
    entry,
    async (found) => {
      const { folder, name, stats } = found;
      if (stats === null) throw fault('FILES.NOT_FOUND', entry, 'it does not exist. List shows what there is.');
      const key = await lockKeyOf(found);
      return await locks.hold([key], lockWait(call), async () => {
        try {
          await removeEntry(folder, name, { recursive, counts, signal: call.signal });
        } catch (error) {
          throw partlyDone(error, entry, counts);
        }
        await folder.sync();
        return kindOf(stats);
      });
    },
    { followLast: false },
  );
  return {
    data: { operation: 'deleted', root: entry.root, path: entry.path, kind, deleted: counts },
    presentation: {
      summary: `${placeName(entry)} deleted${kind === 'folder' ? `, with ${counts.files} files` : ''}`,
      preferredView: 'file-change',
    },
  };
}

function partlyDone(error, entry, counts) {
  if (error.code === 'ENOTEMPTY') {
    return fault(
      'FILES.DIRECTORY_NOT_EMPTY',
      entry,
      'the folder is not empty. Give "recursive": true to delete all that is in it.',
      {
        target: 'recursive',
      },
    );
  }
  const told = translated(error, entry);
  if (counts.files + counts.folders === 0 || told.details === undefined) return told;
  return fault(
    told.code,
    entry,
    `deleting stopped after ${counts.files} files and ${counts.folders} folders: ${told.message}`,
    {
      details: { ...told.details, deleted: counts },
    },
  );
}
