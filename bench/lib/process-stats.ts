import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Clock ticks a second in /proc; fixed at 100 by the ABI of every Linux platform that Node runs on. */
const USER_HZ = 100;

/** A process, told apart from a later one with the same pid by its start time. */
export interface ProcessId {
  pid: number;
  startTicks: number;
}

/** @throws when the platform has no /proc, from which all numbers here are read. */
export function requireLinux(): void {
  if (process.platform !== 'linux') {
    throw new Error(`The benchmarks read /proc and so need Linux; this is ${process.platform}.`);
  }
}

function readStat(pid: number): { parent: number; cpuTicks: number; startTicks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the command in brackets and may hold spaces, so count from its end: `fields[0]` is field 3.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1]!, cpuTicks: fields[11]! + fields[12]!, startTicks: fields[19]! };
}

/** CPU time that the process has used so far, user and system, all of its threads, without its children. */
export function cpuMilliseconds(pid: number): number {
  return (readStat(pid).cpuTicks * 1000) / USER_HZ;
}

/** The same to the nanosecond, for what takes less than a tick; threads that have ended are not in it. */
export function exactCpuMilliseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

/** Resident memory of the process in bytes. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}

/** The most resident memory that the process had since `resetPeak`, in bytes. */
export function peakResidentBytes(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Number of file descriptors that the process holds open. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** All living descendants of the process. */
export function descendants(pid: number): ProcessId[] {
  const children = new Map<number, ProcessId[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const { parent, startTicks } = readStat(Number(entry));
      children.set(parent, [...(children.get(parent) ?? []), { pid: Number(entry), startTicks }]);
    } catch {
      // It ended while we looked.
    }
  }
  const found = [...(children.get(pid) ?? [])];
  for (const child of found) found.push(...(children.get(child.pid) ?? []));
  return found;
}

/** Whether this very process still exists. */
export function isAlive({ pid, startTicks }: ProcessId): boolean {
  try {
    return readStat(pid).startTicks === startTicks;
  } catch {
    return false;
  }
}
