import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';
import { FolderFault } from '../lib/folder-fault.mjs';
import { TEXT_LINES } from './limits.mjs';
import { TooManyLines } from './text-lines.mjs';
import { LockTimeout } from '../lib/process-locks.mjs';

const FOLDER_CODES = {
  refused: 'FILES.PATH_REFUSED',
  outside: 'FILES.OUTSIDE_ROOT',
  'not-found': 'FILES.NOT_FOUND',
  'not-a-directory': 'FILES.NOT_A_DIRECTORY',
  'not-a-file': 'FILES.NOT_A_FILE',
  changed: 'FILES.CHANGED_MEANWHILE',
  'too-many-links': 'FILES.OUTSIDE_ROOT',
};

const SYSTEM_CODES = {
  ENOENT: ['FILES.NOT_FOUND', 'it does not exist. List shows what there is.'],
  ENOTDIR: ['FILES.NOT_A_DIRECTORY', 'a part of the path is not a folder.'],
  EISDIR: ['FILES.NOT_A_FILE', 'it is a folder, not a file.'],
  EEXIST: ['FILES.EXISTS', 'something of that name is there already.'],
  ENOTEMPTY: ['FILES.DIRECTORY_NOT_EMPTY', 'the folder is not empty.'],
  ELOOP: ['FILES.OUTSIDE_ROOT', 'it is a link that is not followed.'],
  EACCES: ['FILES.ACCESS_DENIED', 'the system does not let this plugin do that.'],
  EPERM: ['FILES.ACCESS_DENIED', 'the system does not let this plugin do that.'],
  EROFS: ['FILES.READ_ONLY', 'the file system is read-only.'],
  ENOSPC: [
    'FILES.DISK_FULL',
    'the disk is full; what was there before is unchanged. Free space, then try again.',
    true,
  ],
  EDQUOT: ['FILES.DISK_FULL', 'the quota is used up; what was there before is unchanged.', true],
  EFBIG: ['FILES.DISK_FULL', 'the file would exceed what the system allows; what was there before is unchanged.'],
  ENAMETOOLONG: ['FILES.PATH_REFUSED', 'its name is too long for the file system.'],
  EINVAL: ['FILES.PATH_REFUSED', 'the file system does not accept that name or operation.'],
  ETXTBSY: ['FILES.ACCESS_DENIED', 'the file is being executed.'],
  EBUSY: ['FILES.BUSY', 'the system is using it. Try again later.', true],
};

/**
 * An error of this plugin about the entry that an argument names; the message begins with the entry's own path. `path` is
 * null for an argument that is no usable path: it is not repeated, because it may be one of the host.
 */
export function fault(code, { root, path }, message, { target = 'path', details = {}, ...rest } = {}) {
  const subject = path === null ? `"${target}"` : placeName({ root, path });
  return new PluginError(code, `${subject}: ${message}`, {
    target,
    details: { root, ...(path !== null && { path }), ...details },
    ...rest,
  });
}

/** What the system or a walk reported, in this plugin's codes and without any path of the host. Bugs stay what they are. */
export function translated(error, entry, target = 'path') {
  if (error instanceof FolderFault) {
    const code = FOLDER_CODES[error.reason];
    return fault(code, entry, `${error.message}.`, { target, retryable: error.reason === 'changed' });
  }
  if (error instanceof TooManyLines) {
    const advice = 'Read a part by "byteStart" and "byteLength".';
    return fault('FILES.TOO_LARGE', entry, `it has more than ${TEXT_LINES} lines. ${advice}`, {
      target,
      details: { limitLines: TEXT_LINES },
    });
  }
  if (error instanceof LockTimeout) {
    return fault('FILES.BUSY', entry, 'other calls are changing it; nothing was done. Try again in a few seconds.', {
      target,
      retryable: true,
    });
  }
  if (error?.code === 'ERR_SQLITE_ERROR') {
    const message =
      "the locks in the plugin's data directory cannot be used; nothing was done. The operator has to look at it.";
    return fault('FILES.UNAVAILABLE', entry, message, { target: null, details: { sqliteCode: error.errcode } });
  }
  if (typeof error?.syscall !== 'string' || typeof error.code !== 'string') return error;
  const [code, message, retryable = false] = SYSTEM_CODES[error.code] ?? [
    'FILES.UNAVAILABLE',
    `the file system answered ${error.code} to ${error.syscall}.`,
  ];
  return fault(code, entry, message, { target, retryable, details: { reason: error.code, operation: error.syscall } });
}

/** Runs `action` and tells its faults about that entry. */
export async function telling(entry, action, target) {
  try {
    return await action();
  } catch (error) {
    throw translated(error, entry, target);
  }
}

/** An entry as texts name it: `files:notes/today.md`; the root itself is `files`. */
export function placeName({ root, path }) {
  return path === '' ? root : `${root}:${path}`;
}
