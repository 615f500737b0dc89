import { rename } from 'node:fs/promises';
import { workUntil } from '../../lib/call-time.mjs';
import { copyTree } from '../copy-tree.mjs';
import { entryOf, refuseReadOnly } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { moveWithoutReplacing, refuseChanged } from '../../lib/replace-file.mjs';
import { isSameEntry, transfer } from '../transfer.mjs';
import { kindOf } from '../../lib/walk.mjs';
import { removeCopy, removeEntry } from '../remove-entry.mjs';

/** Renames or moves a file, a link or a folder, also to another root or device. */
export async function move(context, args, call) {
  refuseReadOnly(entryOf(context.roots, args, { pathArgument: 'from' }));
  return await transfer(context, args, call, async (ends) => {
    const { source, target, from, to, previous } = ends;
    try {
      await renameEntry(ends);
    } catch (error) {
      if (error.code !== 'EXDEV') throw error;
      await moveAcross(ends, call);
    }
    await from.folder.sync();
    await to.folder.sync();
    const kind = kindOf(from.stats);
    const hasReplaced = previous !== null && !isSameEntry(ends);
    return {
      data: {
        operation: 'moved',
        root: source.root,
        from: source.path,
        toRoot: target.root,
        to: target.path,
        kind,
        replaced: hasReplaced,
      },
      presentation: {
        summary: `${placeName(source)} is now ${placeName(target)}`,
        preferredView: 'file-change',
      },
    };
  });
}

async function renameEntry(ends) {
  const { from, to, previous } = ends;
  const [oldPath, newPath] = [from.folder.at(from.name), to.folder.at(to.name)];
  if (isSameEntry(ends)) await rename(oldPath, newPath);
  else if (previous !== null) {
    await refuseChanged(newPath, previous);
    await rename(oldPath, newPath);
  }
  // A folder can only take the place of nothing or of an empty folder.
  else if (from.stats.isDirectory()) await rename(oldPath, newPath);
  else await moveWithoutReplacing(oldPath, newPath);
}

/** To another device: a whole copy first; only then what was there goes. */
async function moveAcross({ source, from, to, previous }, { signal, deadline }) {
  const tally = { files: 0, folders: 0, links: 0, bytes: 0, skipped: [] };
  try {
    await copyTree(from, to, { tally, previous, signal, until: workUntil({ deadline }) });
    if (tally.skipped.length > 0) {
      throw fault('FILES.NOT_A_FILE', source, 'it holds a device, pipe or socket, which cannot go to another device.', {
        target: 'from',
        details: { names: tally.skipped.slice(0, 20) },
      });
    }
  } catch (error) {
    if (previous === null) await removeCopy(to);
    throw error;
  }
  await removeEntry(from.folder, from.name, { recursive: true, counts: { files: 0, folders: 0 }, signal });
}
