import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export type MarkedProcess = {
  readonly pid: number;
  /** The number that a process and its descendants share unless they leave; every call's process begins a new one. */
  readonly group: number;
  readonly command: string;
};

/**
 * Processes that have `marker` in their environment or their command line. Every plugin process gets the path of its
 * data directory as a variable, and its descendants inherit it, so the temporary directory of a test finds them all.
 */
export const processesWith = (marker: string): MarkedProcess[] =>
  readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${entry}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      const isMarked = command.includes(marker) || readFileSync(`/proc/${entry}/environ`, 'latin1').includes(marker);
      if (!isMarked) return [];
      // The name stands in brackets and may hold anything; the state and two numbers follow it.
      const group = /\) \S \d+ (\d+) /.exec(readFileSync(`/proc/${entry}/stat`, 'latin1'))?.[1];
      return [{ pid: Number(entry), group: Number(group), command }];
    } catch {
      // Another user's, or gone in the meantime.
      return [];
    }
  });

/** What is still there after `patienceMs`: a process that was killed may take a moment to disappear. */
export const processesLeft = async (marker: string, patienceMs = 3_000): Promise<MarkedProcess[]> => {
  const until = Date.now() + patienceMs;
  let left = processesWith(marker);
  while (left.length > 0 && Date.now() < until) {
    await sleep(25);
    left = processesWith(marker);
  }
  return left;
};

/** Ends what a failed test may have left, so that it harms no other. */
export const endProcesses = (marker: string): void => {
  for (const { pid } of processesWith(marker)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone in the meantime.
    }
  }
};

/** Waits until `condition` holds; fails loudly when it never does. */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  patienceMs = 10_000,
): Promise<void> => {
  const end = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${patienceMs} ms in vain: ${what}`);
    await sleep(20);
  }
};
