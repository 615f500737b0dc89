import { mkdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';
import { createProcessLocks } from '../lib/process-locks.mjs';

/**
 * Where notes, index and locks are: `{ root, indexDirectory, locks }`. Without KNOWLEDGE_NOTES_DIR the notes are in
 * `notes` in the plugin's own data directory, which is made on first use; a folder that the operator names has to be there.
 */
export async function notesContext({ notesDirectory, dataDirectory }) {
  if (!dataDirectory) throw unavailable('the environment variable VCP_PLUGIN_DATA_DIR is not set');
  const root = notesDirectory || join(dataDirectory, 'notes');
  if (!isAbsolute(root)) throw unavailable('the operator has set KNOWLEDGE_NOTES_DIR to a path that is not absolute');
  if (!notesDirectory) await mkdir(root, { recursive: true }).catch((error) => refuse(error.code));
  const found = await stat(root).catch((error) => refuse(error.code));
  if (!found.isDirectory()) refuse('ENOTDIR');
  return {
    root,
    indexDirectory: join(dataDirectory, 'index'),
    locks: createProcessLocks(join(dataDirectory, 'locks')),
  };
}

function refuse(reason) {
  throw unavailable(`the folder that the operator has named cannot be used (${reason})`);
}

function unavailable(reason) {
  return new PluginError('KNOWLEDGE.STORE_UNAVAILABLE', `There is no folder of notes: ${reason}.`, {
    details: { variable: 'KNOWLEDGE_NOTES_DIR' },
  });
}
