import { CopyLimit } from './copy-tree.mjs';
import { atEntry, entryOf, lockKeyOf, lookAgain, makeParents, refuseReadOnly } from './entry.mjs';
import { fault, telling } from './faults.mjs';
import { lockWait } from '../lib/call-time.mjs';

/** What Move and Copy have in common: `perform({ source, target, from, to, previous })` with both ends open and locked. */
export async function transfer({ roots, locks }, args, call, perform) {
  const { overwrite = false, createParents = true } = args;
  const source = entryOf(roots, args, { pathArgument: 'from' });
  const target = entryOf(
    roots,
    { ...args, toRoot: args.toRoot ?? args.root },
    { pathArgument: 'to', rootArgument: 'toRoot' },
  );
  refuseReadOnly(target);
  const isBelowItself = source.root === target.root && `${target.path}/`.startsWith(`${source.path}/`);
  if (isBelowItself) {
    throw fault('FILES.PATH_REFUSED', target, 'it is, or lies inside, what is to be moved or copied.', {
      target: 'to',
    });
  }
  const notFollowed = { followLast: false };
  return await atEntry(
    source,
    async (from) => {
      if (from.stats === null) throw fault('FILES.NOT_FOUND', source, 'it does not exist.', { target: 'from' });
      if (createParents) await makeParents(target);
      return await atEntry(
        target,
        async (to) => {
          const keys = [await lockKeyOf(from), await lockKeyOf(to)];
          return await locks.hold(keys, lockWait(call), async () => {
            const previous = await lookAgain(to);
            refuseOccupied({ source, target, from, to, previous, overwrite });
            return await telling(target, () => perform({ source, target, from, to, previous }), 'to').catch((error) => {
              throw error instanceof CopyLimit ? tooMuch(source) : error;
            });
          });
        },
        notFollowed,
      );
    },
    notFollowed,
  );
}

/** Another writing of the same name, on a file system to which both are one. */
export function isSameEntry({ from, to, previous }) {
  return (
    previous !== null &&
    previous.ino === from.stats.ino &&
    previous.dev === from.stats.dev &&
    from.name !== to.name &&
    from.name.normalize('NFC').toLowerCase() === to.name.normalize('NFC').toLowerCase()
  );
}

function refuseOccupied({ target, from, to, previous, overwrite }) {
  if (previous === null || isSameEntry({ from, to, previous })) return;
  if (!overwrite) {
    throw fault(
      'FILES.EXISTS',
      target,
      'something is there already and was left as it is. Give "overwrite": true to replace a file.',
      {
        target: 'to',
      },
    );
  }
  if (!previous.isFile() || !from.stats.isFile()) {
    throw fault('FILES.EXISTS', target, 'only a file can replace a file. Delete what is there first.', {
      target: 'to',
    });
  }
}

function tooMuch(source) {
  return fault(
    'FILES.TOO_LARGE',
    source,
    'it holds too much for one call; nothing of it was left behind. Take its folders one by one.',
    {
      target: 'from',
    },
  );
}
