import { readdir, readFile } from 'node:fs/promises';

/** Every child carries a random value in this variable; its descendants inherit it, also those that left the group. */
export const STRAY_COOKIE = 'VCP_PROCESS_COOKIE';

/** Process ids are given out in order and start again from the bottom; near the top, the younger may have lower ones. */
const NEAR_THE_TOP = 30_000;

/**
 * Kills the processes that carry the cookie although their group has been ended (they called setsid). Descendants are
 * younger than the child, so only processes with higher ids are looked at. Linux only: elsewhere the group is as far
 * as the system lets us see.
 */
export const endStrays = async (cookie: string, childPid: number): Promise<void> => {
  if (process.platform !== 'linux') return;
  const marker = `${STRAY_COOKIE}=${cookie}`;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const wrapped = childPid > NEAR_THE_TOP && pids.every((pid) => pid <= childPid);
  await Promise.all(
    pids
      .filter((pid) => (pid > childPid || wrapped) && pid !== process.pid)
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
