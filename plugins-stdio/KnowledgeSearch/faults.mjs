import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';
import { FolderFault } from '../lib/folder-fault.mjs';
import { LockTimeout } from '../lib/process-locks.mjs';

const SQLITE_BUSY = 5;

const FOLDER_CODES = {
  refused: 'KNOWLEDGE.PATH_REFUSED',
  outside: 'KNOWLEDGE.PATH_REFUSED',
  'too-many-links': 'KNOWLEDGE.PATH_REFUSED',
  'not-found': 'KNOWLEDGE.NOT_FOUND',
  'not-a-directory': 'KNOWLEDGE.NOT_FOUND',
  'not-a-file': 'KNOWLEDGE.NOT_FOUND',
  changed: 'KNOWLEDGE.CONFLICT',
};

export function notFound(path) {
  return new PluginError(
    'KNOWLEDGE.NOT_FOUND',
    `There is no note "${path}". ListNotes and Search show the notes there are.`,
    {
      target: 'path',
      details: { path },
    },
  );
}

/** What the system or a walk reported, in this plugin's codes and without any path of the host. Bugs stay what they are. */
export function translated(error, target = 'path') {
  if (error instanceof FolderFault) {
    return new PluginError(FOLDER_CODES[error.reason], `"${target}": ${error.message}.`, { target });
  }
  if (error instanceof LockTimeout) {
    return new PluginError(
      'KNOWLEDGE.BUSY',
      'Other calls are changing that note; nothing was done. Try again in a few seconds.',
      {
        target,
        retryable: true,
      },
    );
  }
  if (error?.code === 'ERR_SQLITE_ERROR') return indexFault(error);
  if (typeof error?.syscall !== 'string' || typeof error.code !== 'string') return error;
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(error.code);
  const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(error.code);
  const reason = isFull
    ? 'the disk is full; what was there before is unchanged'
    : isRefused
      ? 'the system does not let this plugin do that'
      : `the file system answered ${error.code} to ${error.syscall}`;
  return new PluginError('KNOWLEDGE.STORE_UNAVAILABLE', `The folder of notes could not be used: ${reason}.`, {
    retryable: isFull,
    details: { reason: error.code, operation: error.syscall },
  });
}

/** Runs `action` and tells its faults in the words of this plugin. */
export async function telling(action, target) {
  try {
    return await action();
  } catch (error) {
    throw translated(error, target);
  }
}

function indexFault({ errcode }) {
  const isBusy = (errcode & 0xff) === SQLITE_BUSY;
  const reason = isBusy
    ? 'other calls are changing it; try again in a few seconds'
    : `SQLite answered with code ${errcode}`;
  return new PluginError('KNOWLEDGE.INDEX_UNAVAILABLE', `The search index could not be used: ${reason}.`, {
    retryable: isBusy,
    details: { sqliteCode: errcode },
  });
}
