import { readdir, readFile } from 'node:fs/promises';

/** Every child carries a random value in this variable; its descendants inherit it, also those that left the group. */
export const STRAY_COOKIE = 'VCP_PROCESS_COOKIE';

/**
 * Kills the processes that carry the cookie although their group has been ended (they called setsid). Linux only:
 * elsewhere the group is as far as the system lets us see.
 */
export const endStrays = async (cookie: string): Promise<void> => {
  if (process.platform !== 'linux') return;
  const marker = `${STRAY_COOKIE}=${cookie}`;
  const entries = await readdir('/proc').catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      if (!/^\d+$/.test(entry)) return;
      // A process of another user, or one that has just gone, cannot be read; it is not ours to end.
      const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '');
      if (!environment.split('\0').includes(marker)) return;
      try {
        process.kill(Number(entry), 'SIGKILL');
      } catch {
        // Gone in the meantime.
      }
    }),
  );
};
