import { readdir, readFile } from 'node:fs/promises';

/** Every child carries a random value in this variable; its descendants inherit it, also those that left the group. */
export const STRAY_COOKIE = 'VCP_PROCESS_COOKIE';

/** Process ids are given out in order and start again from the bottom when they reach this. */
const highestPid = (): Promise<number> => {
  highest ??= readFile('/proc/sys/kernel/pid_max', 'latin1').then(Number, () => 4_194_304);
  return highest;
};
let highest: Promise<number> | null = null;

/**
 * Kills the processes that carry the cookie although their group has been ended (they called setsid). Descendants are
 * younger than the child, so only the half of the processes whose ids follow its own is looked at. Linux only:
 * elsewhere the group is as far as the system lets us see.
 */
export const endStrays = async (cookie: string, childPid: number): Promise<void> => {
  if (process.platform !== 'linux') return;
  const marker = `${STRAY_COOKIE}=${cookie}`;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const range = await highestPid();
  const isYounger = (pid: number) => (pid - childPid + range) % range < range / 2;
  await Promise.all(
    pids
      .filter((pid) => pid !== childPid && pid !== process.pid && isYounger(pid))
      .map(async (pid) => {
        // A process of another user, or one that has just gone, cannot be read; it is not ours to end.
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
        if (!environment.split('\0').includes(marker)) return;
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // Gone in the meantime.
        }
      }),
  );
};
