import { readFileSync, readlinkSync } from 'node:fs';

/**
 * An owner that cannot be judged (other machine, other PID namespace, no /proc) counts as gone at this age.
 * Twice the call's time limit of the manifest, after which the host has killed the owner in any case.
 */
const UNJUDGED_AGE_LIMIT_MS = 30_000;

/** The names given out in this process that still stand for a call. A worker outlives its calls. */
const living = new Set();

/** A file name that says who we are, unique to this call: `<pid>-<start time>-<space>-<sequence>`. */
export function nameOwner() {
  const owner = `${processName()}-${process.hrtime.bigint().toString(36)}`;
  living.add(owner);
  return owner;
}

/** The call has ended: what could not be removed of its lock is anybody's to remove in this process. */
export function forgetOwner(owner) {
  living.delete(owner);
}

/**
 * Whether the call of that name has ended, or its process. The start time tells it from a later process with the same pid.
 * `readAgeMs` is asked only when the name alone cannot settle it.
 */
export function isOwnerGone(owner, readAgeMs) {
  if (owner.startsWith(`${processName()}-`)) return !living.has(owner);
  const [pid, startTime, space] = owner.split('-');
  if (space !== nameSpace()) return readAgeMs() > UNJUDGED_AGE_LIMIT_MS;
  if (!processExists(Number(pid))) return true;
  const found = readProcess(pid);
  if (found === null) return readAgeMs() > UNJUDGED_AGE_LIMIT_MS;
  return found.isZombie || found.startTime !== startTime;
}

function processName() {
  return `${process.pid}-${readProcess('self')?.startTime ?? 'unknown'}-${nameSpace()}`;
}

/** Where a pid means something: this boot of this machine, this PID namespace. */
function nameSpace() {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
    return `${boot}.${namespace}`;
  } catch {
    return 'local'; // no Linux /proc
  }
}

function processExists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** State and start time (clock ticks since boot) from /proc, or null where there is none. */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { isZombie: fields[0] === 'Z' || fields[0] === 'X', startTime: fields[19] };
  } catch {
    return null;
  }
}
