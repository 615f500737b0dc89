import { closeSync, fsyncSync, openSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireFileLock } from './file-lock.mjs';
import { parseRfc3339 } from './rfc3339.mjs';

const FILE_NAME = 'schedules.json';
const LOCK_NAME = 'schedules.lock';
const FORMAT_VERSION = 1;
const PASSING_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EINTR']);

/**
 * The schedules of one data directory, kept in `schedules.json`.
 * Faults of the store come back as `{ error }`, a tool error; only bugs are thrown.
 */
export function openScheduleStore(directory) {
  return {
    /** `{ schedules }` in order of creation. Needs no lock: the file is only ever replaced whole. */
    read() {
      if (!directory) return { error: directoryMissing() };
      try {
        return readSchedules(directory);
      } catch (error) {
        return { error: storeUnavailable(error) };
      }
    },

    /**
     * Runs `edit(schedules)` alone among all calls of all processes and stores the `schedules` of its outcome, unless
     * that holds an `error`. Returns the outcome; throws when `signal` aborts the wait. Nothing between lock and
     * release yields to the event loop, so once the change has begun it is made whole.
     */
    async change(edit, { waitMs, signal }) {
      if (!directory) return { error: directoryMissing() };
      try {
        const lock = await acquireFileLock(directory, LOCK_NAME, { waitMs, signal });
        if (lock === null) return { error: storeBusy() };
        try {
          return changeLocked(directory, lock, edit);
        } finally {
          lock.release();
        }
      } catch (error) {
        return { error: storeUnavailable(error) };
      }
    },
  };
}

function changeLocked(directory, lock, edit) {
  removeUnfinishedWrites(directory);
  const stored = readSchedules(directory);
  if (stored.error) return stored;
  const outcome = edit(stored.schedules);
  if (outcome.error) return outcome;
  return writeSchedules(directory, lock, outcome.schedules) ? outcome : { error: storeBusy() };
}

function readSchedules(directory) {
  let bytes;
  try {
    bytes = readFileSync(join(directory, FILE_NAME));
  } catch (error) {
    if (error.code === 'ENOENT') return { schedules: [] };
    throw error;
  }
  let document;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { error: storeCorrupt(bytes.length === 0 ? 'it is empty' : 'it is not JSON in UTF-8') };
  }
  const fault = findFault(document);
  return fault ? { error: storeCorrupt(fault) } : { schedules: document.schedules };
}

/** Replaces the file whole, durably. Returns false, with the file untouched, when the lock was lost meanwhile. */
function writeSchedules(directory, lock, schedules) {
  const path = join(directory, FILE_NAME);
  const unfinishedPath = `${path}.${lock.owner}.tmp`;
  try {
    const file = openSync(unfinishedPath, 'wx');
    try {
      writeFileSync(file, `${JSON.stringify({ version: FORMAT_VERSION, schedules }, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!lock.isHeld()) return false;
    renameSync(unfinishedPath, path);
  } finally {
    rmSync(unfinishedPath, { force: true });
  }
  syncDirectory(directory);
  return true;
}

/** Makes the rename itself survive a power cut. The change is already visible, so a refusal is no failure. */
function syncDirectory(directory) {
  try {
    const handle = openSync(directory, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {} // Windows cannot open a directory; some file systems cannot sync one
}

/** Removes what a writer that was killed has left; under the lock nobody else is writing. */
function removeUnfinishedWrites(directory) {
  for (const fileName of readdirSync(directory)) {
    if (fileName.startsWith(`${FILE_NAME}.`) && fileName.endsWith('.tmp')) {
      rmSync(join(directory, fileName), { force: true });
    }
  }
}

/** The first thing in a parsed file that this plugin cannot have written, or null. */
function findFault(document) {
  if (!hasExactly(document, ['version', 'schedules'])) return 'it is not an object of "version" and "schedules"';
  if (document.version !== FORMAT_VERSION) return `its version is not ${FORMAT_VERSION}`;
  if (!Array.isArray(document.schedules)) return '/schedules is not an array';
  const ids = new Set();
  for (const [index, schedule] of document.schedules.entries()) {
    const pointer = `/schedules/${index}`;
    if (!hasExactly(schedule, ['id', 'time', 'content']))
      return `${pointer} is not an object of "id", "time" and "content"`;
    for (const field of ['id', 'time', 'content']) {
      if (typeof schedule[field] !== 'string') return `${pointer}/${field} is not a string`;
    }
    if (parseRfc3339(schedule.time).fault) return `${pointer}/time is not an RFC 3339 date-time`;
    if (ids.has(schedule.id)) return `${pointer}/id is that of an earlier schedule`;
    ids.add(schedule.id);
  }
  return null;
}

function hasExactly(value, keys) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => Object.hasOwn(value, key))
  );
}

function storeBusy() {
  return {
    code: 'SCHEDULE.BUSY',
    message: 'Other calls are changing the schedules; nothing was changed by this one. Try again in a few seconds.',
    retryable: true,
  };
}

function storeCorrupt(fault) {
  return {
    code: 'SCHEDULE.STORE_CORRUPT',
    message:
      `The file ${FILE_NAME} in the plugin's data directory is damaged: ${fault}. It was left untouched. ` +
      'Restore it from a backup, or move it away to start with an empty list.',
    details: { file: FILE_NAME, fault },
  };
}

function directoryMissing() {
  return {
    code: 'SCHEDULE.STORE_UNAVAILABLE',
    message:
      'There is nowhere to keep schedules: the environment variable VCP_PLUGIN_DATA_DIR is not set. ' +
      'Set it to a writable directory.',
    details: { variable: 'VCP_PLUGIN_DATA_DIR' },
  };
}

/** A tool error for a refusal of the file system; anything else is a bug and is thrown on. */
function storeUnavailable(error) {
  if (!error.syscall) throw error;
  return {
    code: 'SCHEDULE.STORE_UNAVAILABLE',
    message:
      `The schedules could not be read or written in the plugin's data directory: ${error.code} on ${error.syscall}. ` +
      remedy(error.code),
    retryable: PASSING_FAULTS.has(error.code),
    details: { reason: error.code, operation: error.syscall },
  };
}

function remedy(reason) {
  switch (reason) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'Nothing was changed. Free disk space or raise the quota, then try again.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Give the plugin write access to that directory.';
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return `Something of another kind is in the place of that directory or of ${FILE_NAME}; move it away.`;
    default:
      return 'Check that directory.';
  }
}
