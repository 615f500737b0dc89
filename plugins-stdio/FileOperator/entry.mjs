import { mkdir } from 'node:fs/promises';
import { lstatOrNull, locate, locateFolder } from '../lib/locate.mjs';
import { segmentsOf } from '../lib/path-segments.mjs';
import { fault, telling, translated } from './faults.mjs';
import { chooseRoot, prepareRoot } from './roots.mjs';

/** What a call's arguments name: `{ root, path }` for people, and how to get there. */
export function entryOf(roots, args, { pathArgument = 'path', rootArgument = 'root', isOptional = false } = {}) {
  const place = chooseRoot(roots, args[rootArgument], rootArgument);
  const segments = segmentsTold(place, args[pathArgument] ?? '', pathArgument);
  const entry = { root: place.name, path: segments.join('/'), place, segments, target: pathArgument };
  if (segments.length === 0 && !isOptional) {
    throw fault('FILES.PATH_REFUSED', entry, 'that is the root itself. Name something inside it.', {
      target: pathArgument,
    });
  }
  return entry;
}

/** A path that is refused is not repeated: it may be one of the host. */
function segmentsTold(place, path, target) {
  try {
    return segmentsOf(path);
  } catch (error) {
    throw translated(error, { root: place.name, path: null }, target);
  }
}

export function refuseReadOnly(entry) {
  if (entry.place.readOnly) {
    throw fault('FILES.READ_ONLY', entry, 'this root may be read only.', { target: entry.target });
  }
}

/** Runs `action({ folder, name, stats })` at an entry; see `locate`. Faults are told about the entry. */
export async function atEntry(entry, action, options) {
  return await telling(
    entry,
    async () => {
      await prepareRoot(entry.place);
      const found = await rootTold(entry, () => locate(entry.place.path, entry.segments, options));
      try {
        return await action(found);
      } finally {
        await found.folder.close();
      }
    },
    entry.target,
  );
}

/** The same for a folder: `action(folder)`. */
export async function inFolder(entry, action) {
  return await telling(
    entry,
    async () => {
      await prepareRoot(entry.place);
      const folder = await rootTold(entry, () => locateFolder(entry.place.path, entry.segments));
      try {
        return await action(folder);
      } finally {
        await folder.close();
      }
    },
    entry.target,
  );
}

/** Makes the folders above an entry that are missing. Returns how many were made. */
export async function makeParents(entry) {
  return await telling(entry, () => makeFolders(entry, entry.segments.length - 1), entry.target);
}

/** Makes the first `depth` folders of an entry's path where they are missing. Returns how many were made. */
export async function makeFolders(entry, depth) {
  let made = 0;
  for (let length = 1; length <= depth; length += 1) {
    await atEntry({ ...entry, segments: entry.segments.slice(0, length) }, async ({ folder, name, stats }) => {
      if (stats !== null || name === null) return;
      await mkdir(folder.at(name)).then(
        () => (made += 1),
        (error) => {
          if (error.code !== 'EEXIST') throw error;
        },
      );
    });
  }
  return made;
}

/** The same entry looked at again, once its lock is had. */
export function lookAgain({ folder, name }) {
  return lstatOrNull(folder.at(name));
}

/** What a change of that entry has to hold. Names that differ only in case may be one file. */
export async function lockKeyOf({ folder, name }) {
  const { dev, ino } = await folder.stat();
  return `${dev}:${ino}/${name.normalize('NFC').toLowerCase()}`;
}

/** A root that is not there is the operator's to mend, and not the caller's path. */
async function rootTold(entry, action) {
  try {
    return await action();
  } catch (error) {
    if (error.syscall === 'realpath') {
      throw fault(
        'FILES.ROOT_UNAVAILABLE',
        { ...entry, path: '' },
        'the operator has named a folder that is not there.',
        {
          target: 'root',
          details: { reason: error.code },
        },
      );
    }
    throw error;
  }
}
