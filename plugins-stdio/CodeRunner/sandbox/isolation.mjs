import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runBounded } from './run-bounded.mjs';

const script = (name) => readFileSync(join(import.meta.dirname, name), 'utf8');
const BUILD = script('build-root.sh');
const ENTER = script('enter-root.sh');
/** What programs of the system need of it; links such as /lib -> usr/lib are made anew. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives'];
const PROBE_MS = 10_000;
const isRoot = process.geteuid?.() === 0;

/** User and group that a snippet of a server run by root belongs to: nobody's. Null where the server's own user will do. */
export const SANDBOX_ID = isRoot ? 65_534 : null;

/**
 * How a command is run apart from the host, found out by trying: in namespaces with no network, no processes but its
 * own, and a root that shows the system read-only and nothing of anybody's files. `isolate` is null where the system
 * forbids it; `failed` says at which step.
 */
export const findIsolation = async () => {
  if (process.platform !== 'linux') return { isolate: null, failed: 'looking for Linux' };
  const base = await mkdtemp(join(tmpdir(), 'vcp-code-'));
  try {
    const [root, code, work] = ['root', 'code', 'work'].map((name) => join(base, name));
    for (const directory of [root, code, work]) await mkdir(directory);
    const started = isolated({
      root,
      code,
      work,
      shown: [],
      limits: ['--core=0'],
      program: '/usr/bin/env',
      command: ['true'],
    });
    const { setUp, exitCode } = await runBounded({
      ...started,
      cwd: base,
      stdin: '',
      timeoutMs: PROBE_MS,
      signal: new AbortController().signal,
      isIsolated: true,
    });
    return setUp.isReady && exitCode === 0
      ? { isolate: isolated, failed: null }
      : { isolate: null, failed: setUp.step ?? 'making a mount namespace' };
  } catch (error) {
    return { isolate: null, failed: `starting unshare (${error.code})` };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
};

/** `shown` are directories, beside the system's own, that hold the interpreter `program`; `limits` are options of prlimit. */
const isolated = ({ root, code, work, shown, limits, program, command }) => ({
  command: 'unshare',
  args: [
    // Root makes the mounts as itself, since it may read what nobody may not, and lays its rights down after that.
    ...(isRoot ? [] : ['--user', '--map-root-user']),
    '--mount',
    '/bin/sh',
    '-c',
    BUILD,
    'build-root',
    ...directories(shown),
    '--',
    ...command,
  ],
  env: {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ROOT: realpathSync(root),
    CODE: code,
    WORK: work,
    ENTER,
    IDENTITY: isRoot ? `--reuid=${SANDBOX_ID} --regid=${SANDBOX_ID} --clear-groups` : '',
    LIMITS: limits.join(' '),
    PROGRAM: program,
  },
});

/** The system's directories and those beside them, without any that lies in another of them. */
const directories = (shown) => {
  const system = SYSTEM.filter((path) => existsSync(path) && lstatSync(path).isDirectory());
  const all = [...new Set([...system, ...shown])];
  return all.filter((path) => !all.some((parent) => path.startsWith(`${parent}/`)));
};

/** The directory of a program and what its links lead to. */
export const homeOf = (program) => dirname(realpathSync(program));
