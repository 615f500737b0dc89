import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The memory that a process holds, in bytes; null when it has gone or the system does not tell. */
export const residentBytes = async (pid: number): Promise<number | null> => {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'latin1');
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
      return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
    }
    if (process.platform === 'win32') return null;
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 5_000 });
    return Number(stdout.trim()) * 1_024;
  } catch {
    return null;
  }
};
