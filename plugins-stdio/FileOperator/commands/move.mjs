import { rename } from 'node:fs/promises';
import { workUntil } from '../../lib/call-time.mjs';
import { copyWhole } from '../copy-whole.mjs';
import { entryOf, refuseReadOnly } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { moveWithoutReplacing, refuseChanged } from '../../lib/replace-file.mjs';
import { isSameEntry, transfer } from '../transfer.mjs';
import { kindOf } from '../../lib/walk.mjs';
import { isAsCopied, removeCopied } from '../remove-copied.mjs';

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

/**
 * To another device: a whole copy first; only then what was there goes, and of that only what the copy holds. What
 * changed meanwhile stays where it is.
 */
async function moveAcross({ source, from, to, previous }, { signal, deadline }) {
  const tally = { files: 0, folders: 0, links: 0, bytes: 0, skipped: [] };
  const options = { tally, previous, keepOwner: true, signal, until: workUntil({ deadline }) };
  if (kindOf(from.stats) === 'other') throw notMovable(source, [from.name]);
  const copied = await copyWhole(from, to, options, async (record) => {
    if (tally.skipped.length > 0) throw notMovable(source, tally.skipped);
    if (!(await isAsCopied(from.folder, record))) {
      throw fault('FILES.CHANGED_MEANWHILE', source, 'something changed in it while it was copied; nothing was done.', {
        target: 'from',
        retryable: true,
      });
    }
  });
  await to.folder.sync();
  const kept = await removeCopied(from.folder, copied);
  if (kept.length === 0) return;
  throw fault(
    'FILES.CHANGED_MEANWHILE',
    source,
    `it was copied to the new place, but something changed in it meanwhile, so the changed part (${kept[0]}) was left here. Compare the two, then delete one.`,
    { target: 'from', details: { kept: kept.length, names: kept.slice(0, 20) } },
  );
}

function notMovable(source, names) {
  return fault(
    'FILES.NOT_A_FILE',
    source,
    'it is or holds a device, pipe or socket, which cannot go to another device.',
    { target: 'from', details: { names: names.slice(0, 20) } },
  );
}
