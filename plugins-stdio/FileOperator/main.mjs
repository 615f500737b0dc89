import { join } from 'node:path';
import { servePlugin } from '../../plugin-kit/node/vcp-plugin.mjs';
import { createProcessLocks } from '../lib/process-locks.mjs';
import { commands } from './commands.mjs';
import { readRoots } from './roots.mjs';

// Without a handler the system ends a process that writes beyond its file size limit; with one the write fails.
process.on('SIGXFSZ', () => {});

const { FILE_OPERATOR_ROOTS, FILE_OPERATOR_FALLBACK_ENCODING, VCP_PLUGIN_DATA_DIR } = process.env;

/** Read at each call, so that a faulty configuration is an answer and not a dead process. */
const context = () => ({
  roots: readRoots(FILE_OPERATOR_ROOTS, VCP_PLUGIN_DATA_DIR),
  locks: createProcessLocks(join(VCP_PLUGIN_DATA_DIR, 'locks')),
  fallback: FILE_OPERATOR_FALLBACK_ENCODING,
});

servePlugin(
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [
      name,
      async (args, call) => await command(context(), args, call),
    ]),
  ),
);
