import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, totalmem, uptime } from 'node:os';
import process from 'node:process';

/** What this machine says of itself. `disks` names directories, separated by commas; one that is not there is left out. */
export const measureFacts = async (disks) => {
  const directories = disks
    .split(',')
    .map((directory) => directory.trim())
    .filter((directory) => directory !== '');
  return {
    cores: availableParallelism(),
    // Windows has no such figure, and says 0.
    load: process.platform === 'win32' ? null : rounded(loadavg()[0]),
    memoryBytes: totalmem(),
    memoryFreeBytes: process.availableMemory?.() ?? freemem(),
    uptimeSeconds: Math.floor(uptime()),
    disks: (await Promise.all(directories.map(diskOf))).filter((disk) => disk !== null),
  };
};

/** A disk is told by the last step of its directory: where that lies is nobody's business. */
const diskOf = async (directory) => {
  try {
    const { blocks, bavail, bsize } = await statfs(directory);
    const name = directory.split(/[/\\]/).findLast((step) => step !== '') ?? 'root';
    return { name, bytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
};

const rounded = (figure) => Math.round(figure * 100) / 100;
