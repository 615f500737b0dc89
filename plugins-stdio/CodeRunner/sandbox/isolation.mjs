import { execFile } from 'node:child_process';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NAMESPACES = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--fork', '--kill-child'];
const SCRIPT = join(import.meta.dirname, 'private-root.sh');
/** What programs of the system need of it; links such as /lib -> usr/lib are made anew. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives'];
const PROBE_MS = 10_000;

/**
 * How a command is run apart from the host, found out once by trying: in namespaces with no network, no processes but
 * its own, and a root that shows the system read-only and nothing of anybody's files. Null where the system forbids it.
 */
export const findIsolation = async () => {
  const base = await mkdtemp(join(tmpdir(), 'vcp-code-probe-'));
  try {
    const { command, args, env } = isolated({ root: base, code: '/usr', work: '/usr', shown: [] }, ['/bin/true']);
    await new Promise((done, fail) => {
      execFile(command, args, { env, timeout: PROBE_MS }, (error) => (error === null ? done() : fail(error)));
    });
    return isolated;
  } catch {
    return null;
  } finally {
    await rm(base, { recursive: true, force: true });
  }
};

/** `shown` are directories, beside the system's own, that hold the interpreter. */
const isolated = ({ root, code, work, shown }, command) => ({
  command: 'unshare',
  args: [...NAMESPACES, '/bin/sh', SCRIPT, ...directories(shown), '--', ...command],
  env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ROOT: root, CODE: code, WORK: work },
});

const directories = (shown) => {
  const system = SYSTEM.filter((path) => existsSync(path) && lstatSync(path).isDirectory());
  const others = shown.filter((path) => !system.some((parent) => path === parent || path.startsWith(`${parent}/`)));
  return [...system, ...new Set(others)];
};

/** The directory of a program and what its links lead to. */
export const homeOf = (program) => dirname(realpathSync(program));
