import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { STRAY_COOKIE } from './stray-processes.ts';

/**
 * Ends the children of a host that died without a word (`kill -9`, out of memory). A small process outside the host's
 * group reads a pipe that only the host holds: when the pipe ends, so has the host, and what it had started is killed,
 * whatever it does and wherever it went.
 */
export type ChildGuard = {
  /** Every child carries this at the start of its cookie; it tells the children of this host from those of others. */
  readonly hostId: string;
  /** A process group has been started, or has gone. */
  watch(group: number): void;
  release(group: number): void;
  /** The host has ended its children itself. */
  close(): void;
};

/**
 * Reads `+ group` and `- group`; `.` says that the host has ended its children itself. When the pipe ends without it,
 * the groups that are left are killed, and, where /proc tells environments, whatever carries the cookie. The second
 * look is for what was just being started at the first one.
 */
const SCRIPT = `
groups=' '
while read -r sign group; do
  case "$sign" in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
    .) exit 0 ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for round in 1 2; do
  for environment in /proc/[0-9]*/environ; do
    grep -qF -- "$1" "$environment" || continue
    process=\${environment#/proc/}
    kill -s KILL "\${process%/environ}"
  done
  sleep 0.2
done
`;

const NO_GUARD: Omit<ChildGuard, 'hostId'> = {
  watch: () => undefined,
  release: () => undefined,
  close: () => undefined,
};

/** The guard starts with the first child. Windows has no process groups and no `sh`: there the children see the end of their stdin. */
export const createChildGuard = (): ChildGuard => {
  const hostId = randomUUID();
  if (process.platform === 'win32') return { hostId, ...NO_GUARD };
  const groups = new Set<number>();
  let guard: ChildProcess | null = null;

  const begin = (): void => {
    const fresh = spawn('/bin/sh', ['-c', SCRIPT, 'vcp-child-guard', `${STRAY_COOKIE}=${hostId}`], {
      // A group and session of its own, or Ctrl-C in the host's terminal would end it before its work.
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    guard = fresh;
    const gone = () => {
      if (guard === fresh) guard = null;
    };
    fresh.once('error', gone);
    fresh.once('exit', gone);
    fresh.stdin?.on('error', gone);
    // The guard waits for the host, never the host for its guard.
    fresh.unref();
    (fresh.stdin as unknown as { unref?(): void } | null)?.unref?.();
    for (const group of groups) fresh.stdin?.write(`+ ${group}\n`);
  };

  return {
    hostId,
    watch: (group) => {
      groups.add(group);
      // A new guard is told of all groups at its beginning.
      if (guard === null) begin();
      else guard.stdin?.write(`+ ${group}\n`);
    },
    release: (group) => {
      if (groups.delete(group)) guard?.stdin?.write(`- ${group}\n`);
    },
    close: () => {
      guard?.stdin?.end('. 0\n');
      guard = null;
    },
  };
};
