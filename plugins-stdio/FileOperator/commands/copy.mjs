import { workUntil } from '../../lib/call-time.mjs';
import { copyWhole } from '../copy-whole.mjs';
import { fault, placeName } from '../faults.mjs';
import { isSameEntry, transfer } from '../transfer.mjs';
import { kindOf } from '../../lib/walk.mjs';

/** Copies a file, a link as a link, or a folder with all in it. */
export async function copy(context, args, call) {
  return await transfer(context, args, call, async (ends) => {
    const { source, target, from, to, previous } = ends;
    if (isSameEntry(ends)) throw fault('FILES.EXISTS', target, 'it is the same file.', { target: 'to' });
    const tally = { files: 0, folders: 0, links: 0, bytes: 0, skipped: [] };
    const kind = kindOf(from.stats);
    if (kind === 'other')
      throw fault('FILES.NOT_A_FILE', source, 'it is a device, pipe or socket.', { target: 'from' });
    await copyWhole(from, to, { tally, previous, signal: call.signal, until: workUntil(call) });
    await to.folder.sync();
    const { files, folders, links, bytes, skipped } = tally;
    return {
      data: {
        operation: 'copied',
        root: source.root,
        from: source.path,
        toRoot: target.root,
        to: target.path,
        kind,
        replaced: previous !== null,
        copied: { files, folders, links, bytes },
      },
      warnings:
        skipped.length === 0
          ? []
          : [
              {
                code: 'FILES.SKIPPED',
                message: `${skipped.length} devices, pipes or sockets were not copied.`,
                target: 'data.copied',
                details: { count: skipped.length, names: skipped.slice(0, 20) },
              },
            ],
      presentation: {
        summary: `${placeName(source)} copied to ${placeName(target)}, ${bytes} bytes`,
        preferredView: 'file-change',
      },
    };
  });
}
