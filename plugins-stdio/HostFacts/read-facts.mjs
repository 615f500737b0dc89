import { readFile, stat } from 'node:fs/promises';
import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';

const MOST_BYTES = 64 * 1024;

/** Facts that somebody else has written. What they must look like, the output schema says. */
export const readFacts = async (file) => {
  try {
    if ((await stat(file)).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    const {
      cores,
      load = null,
      memoryBytes,
      memoryFreeBytes,
      uptimeSeconds,
      disks = [],
    } = JSON.parse(await readFile(file, 'utf8'));
    return { cores, load, memoryBytes, memoryFreeBytes, uptimeSeconds, disks };
  } catch (cause) {
    const reason = cause.code ?? cause.message;
    throw new PluginError('HOST.FACTS_UNREADABLE', `the file that HOST_FACTS_FILE names cannot be used: ${reason}`, {
      cause,
    });
  }
};
