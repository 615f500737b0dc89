import { chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';
import { findIsolation, SANDBOX_ID } from './sandbox/isolation.mjs';
import { isInstalled, LANGUAGES } from './sandbox/languages.mjs';
import { collectFiles, regularFiles } from './sandbox/output-files.mjs';
import { removeBounded, sweepOld } from './sandbox/remove-directories.mjs';
import { runBounded } from './sandbox/run-bounded.mjs';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MEMORY_MB = 512;
/** Milliseconds of the call that are kept for starting, cleaning up and answering. */
const MARGIN_MS = 2_000;
const FILE_BYTES = 32 * 1024 * 1024;
const OPEN_FILES = 256;
const PROCESSES = 64;

/** What was found: successes only, since what is missing may be put in place while the worker runs. */
const found = new Map();

const findOnce = async (key, find) => {
  const known = found.get(key);
  if (known !== undefined) return known;
  const value = await find();
  if (value !== null) found.set(key, value);
  return value;
};

let swept = null;

/** Runs one snippet in a directory of its own and gives back what it did. A run that took place is a success, whatever its exit code. */
export const runSnippet = async (command, args, call, { requireIsolation }) => {
  swept ??= sweepOld(tmpdir());
  try {
    return await prepareAndRun(command, args, call, requireIsolation);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    // The message of a system error names paths of this machine: they are for the log.
    console.error(error);
    const cause = error.code === undefined ? '' : ` (${error.code})`;
    throw new PluginError('INTERNAL_ERROR', `the snippet could not be run${cause}; the log of the server says more`);
  }
};

const prepareAndRun = async (command, args, call, requireIsolation) => {
  const language = LANGUAGES[command];
  let failed = null;
  const isolate = await findOnce('isolation', async () => {
    const result = await findIsolation();
    failed = result.failed;
    return result.isolate;
  });
  if (isolate === null && requireIsolation) throw notIsolated(failed);
  const interpreter = await findOnce(command, language.find);
  if (interpreter === null)
    throw new PluginError(
      'CODE.NO_INTERPRETER',
      'Python 3.8 or newer was not found on this machine; the operator has to install it',
      { category: 'dependency' },
    );

  const base = await mkdtemp(join(tmpdir(), 'vcp-code-'));
  try {
    return await runIn(base, { language, interpreter, isolate, args, call });
  } finally {
    await removeBounded(base, call.signal);
  }
};

const runIn = async (base, { language, interpreter, isolate, args, call }) => {
  const [root, codeDirectory, work] = ['root', 'code', 'work'].map((name) => join(base, name));
  for (const directory of [root, codeDirectory, work]) await mkdir(directory);
  await writeFile(join(codeDirectory, language.file), args.code);
  await writeInputs(work, args.files ?? []);
  const before = new Map((await regularFiles(work)).files.map((file) => [file.name, file]));
  if (isolate !== null && SANDBOX_ID !== null) {
    const given = [join(codeDirectory, language.file), ...[...before.values()].map(({ path }) => path)];
    for (const path of [codeDirectory, work, ...given]) await chown(path, SANDBOX_ID, SANDBOX_ID);
  }

  const seen = isolate === null ? { codeDirectory, work } : { codeDirectory: '/sandbox/code', work: '/sandbox/work' };
  const limits = limitsOf(args, call);
  const line = [
    'env',
    '-i',
    `HOME=${seen.work}`,
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'LANG=C.UTF-8',
    interpreter.program,
    ...language.arguments({ ...seen, code: join(seen.codeDirectory, language.file), memoryBytes: limits.memoryBytes }),
    ...(args.args ?? []),
  ];
  const restricted = limitArguments(language, limits, isolate !== null);
  const { program, shown } = interpreter;
  const run = await runBounded({
    ...(isolate === null
      ? onHost(restricted, line)
      : isolate({ root, code: codeDirectory, work, shown, program, limits: restricted, command: line })),
    cwd: work,
    stdin: args.stdin ?? '',
    timeoutMs: limits.timeoutMs,
    signal: call.signal,
    isIsolated: isolate !== null,
  });
  return await answer(run, { limits, isolate, work, before, call });
};

/** A system without `prlimit` has to do without these limits where the operator allows it to do without isolation. */
const onHost = (restricted, line) => {
  const [command, ...args] = isInstalled('prlimit') ? ['prlimit', ...restricted, '--', ...line] : line;
  return { command, args, env: { PATH: process.env.PATH } };
};

const limitsOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS, memoryMb = DEFAULT_MEMORY_MB }, { deadline }) => ({
  timeoutMs: Math.max(100, Math.min(timeoutMs, deadline.getTime() - Date.now() - MARGIN_MS)),
  memoryBytes: memoryMb * 1024 * 1024,
});

const limitArguments = (language, { timeoutMs, memoryBytes }, isIsolated) => [
  ...language.memory(memoryBytes),
  `--cpu=${Math.ceil(timeoutMs / 1_000) + 1}`,
  `--fsize=${FILE_BYTES}`,
  `--nofile=${OPEN_FILES}`,
  // Outside a namespace this would count the processes of the host's user as well.
  ...(isIsolated ? [`--nproc=${PROCESSES}`] : []),
  '--core=0',
];

const writeInputs = async (work, files) => {
  for (const { name, content } of files) {
    const path = join(work, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
};

const answer = async (run, { limits, isolate, work, before, call }) => {
  const { exitCode, signal, stopped, durationMs, stdout, stderr, setUp } = run;
  if (setUp !== null && !setUp.isReady && stopped !== 'cancelled') {
    console.error(`CodeRunner: the sandbox was not set up (${setUp.step}): ${stderr.text}`);
    throw notIsolated(setUp.step);
  }
  const facts = {
    exitCode: signal === null && stopped === null ? exitCode : null,
    signal: stopped === null ? signal : null,
    durationMs,
    stdout: stdout.text,
    stderr: stderr.text,
    network: isolate === null ? 'not-isolated' : 'none',
    fileSystem: isolate === null ? 'host' : 'private',
  };
  // A program may exit with 152 for reasons of its own: it is out of CPU time only where there was time to use so much.
  const mostCpuMs = durationMs * availableParallelism();
  const isOutOfCpu = (signal === 'SIGXCPU' || exitCode === 152) && mostCpuMs >= limits.timeoutMs;
  if (stopped === 'time' || isOutOfCpu)
    throw limitReached(
      'TIME',
      `the snippet ran longer than ${limits.timeoutMs} ms and was stopped`,
      'timeoutMs',
      facts,
    );
  if (stopped === 'output')
    throw limitReached(
      'OUTPUT',
      'the snippet printed more than 512 KiB and was stopped; write large results to a file',
      'code',
      facts,
    );
  if (/JavaScript heap out of memory/.test(stderr.text) && hasAborted(run))
    throw limitReached(
      'MEMORY',
      `the snippet needed more than ${limits.memoryBytes / 1024 / 1024} MiB`,
      'memoryMb',
      facts,
    );

  const { files, resources, leftOut, isWhole } =
    stopped === 'cancelled' || call.signal.aborted
      ? { files: [], resources: [], leftOut: 0, isWhole: true }
      : await collectFiles(work, before, call.resourceDir);
  const warnings = [];
  if (isolate === null)
    warnings.push({
      code: 'NOT_ISOLATED',
      message:
        'the snippet could reach the network and the files of this machine: the system has no namespaces for it, and the operator allowed that',
    });
  if (leftOut > 0)
    warnings.push({
      code: 'FILES_LEFT_OUT',
      message: `${leftOut} files are not returned: empty, or beyond 16 files or 20 MiB`,
      target: 'data.files',
      details: { count: leftOut },
    });
  if (!isWhole)
    warnings.push({
      code: 'FILES_NOT_LISTED',
      message: 'the snippet left more than 10,000 entries or 32 directories one in another; the rest was not looked at',
      target: 'data.files',
    });
  if (stdout.isBinary || stderr.isBinary)
    warnings.push({
      code: 'BINARY_OUTPUT',
      message: 'the output is not all text; what is none is shown as \ufffd. Write bytes to a file instead',
    });
  const outcome = signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
  return {
    data: { ...facts, files },
    resources,
    warnings,
    presentation: { summary: `Ran with ${outcome} in ${durationMs} ms`, preferredView: 'code-run' },
  };
};

/** V8 aborts (or traps) when its heap is full; a program that only prints such words does not. */
const hasAborted = ({ signal, exitCode }) =>
  signal === 'SIGABRT' || signal === 'SIGTRAP' || exitCode === 134 || exitCode === 133;

/** Limits are errors: what was asked for did not come about. What there is of output is in the details. */
const limitReached = (name, message, target, { stdout, stderr, durationMs }) =>
  new PluginError(`CODE.${name}_LIMIT`, message, {
    target,
    category: 'domain',
    details: {
      durationMs,
      stdout: stdout.slice(0, 16_384).toWellFormed(),
      stderr: stderr.slice(-16_384).toWellFormed(),
    },
  });

const notIsolated = (failed) =>
  new PluginError(
    'CODE.NO_ISOLATION',
    `this system does not let a snippet be kept from network and files (it takes Linux with user namespaces and util-linux), so it was not run: ${failed ?? 'starting the sandbox'} failed. An operator who accepts that sets CODE_RUNNER_REQUIRE_ISOLATION=false`,
    { category: 'dependency', details: { failed } },
  );
