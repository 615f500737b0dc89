import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { manifestOf, repositoryRoot, sha256OfFile, stdioFixtures, type PluginSpec } from './manifest.ts';
import { endProcesses } from './processes.ts';

const cli = join(repositoryRoot, 'adapters', 'node', 'cli.ts');

/** A directory of its own for one test file: data, plugins, and a working directory without a config.env. */
export const temporaryHome = (): { root: string; data: string; plugins: string; remove(): void } => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-e2e-')));
  const plugins = join(root, 'plugin-files');
  mkdirSync(plugins);
  const remove = () => {
    endProcesses(root);
    rmSync(root, { recursive: true, force: true });
  };
  return { root, data: join(root, 'data'), plugins, remove };
};

/** Writes a plugin that a server can find; its scripts are those of the fixtures, its module the given text. */
export const writePlugin = (
  plugins: string,
  spec: PluginSpec & { readonly moduleText?: string },
): { sha256: string | null } => {
  const directory = join(plugins, spec.name);
  if (spec.module === undefined) cpSync(stdioFixtures, directory, { recursive: true });
  else mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'plugin-manifest.json'), JSON.stringify(manifestOf(spec)));
  if (spec.module === undefined) return { sha256: null };
  writeFileSync(join(directory, spec.module), spec.moduleText ?? '');
  return { sha256: sha256OfFile(join(directory, spec.module)) };
};

/** A module that gives its arguments back; enough for load. */
export const ECHO_MODULE = 'export const processToolCall = (args) => ({ status: "success", data: args });\n';

/** What a program of ours gets of this process's environment, and no configuration of the machine. */
export const cleanEnvironment = (
  home: { root: string; data: string },
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home.root,
  VCP_DATA_DIR: home.data,
  // Halves the start of every process after the first one.
  NODE_COMPILE_CACHE: join(home.root, 'compile-cache'),
  ...more,
});

export type CommandRun = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs `vcp` with the arguments to its end. */
export const vcp = (
  home: { root: string; data: string },
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CommandRun> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [cli, ...args],
      { cwd: home.root, env: cleanEnvironment(home, environment), timeout: 20_000, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(input);
  });

export type ServerProcess = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string;
  stdout(): string;
  stderr(): string;
  /** The exit code, once the process has gone. */
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  request(path: string, init?: RequestInit): Promise<Response>;
  call(tool: string, args?: object, options?: object, signal?: AbortSignal): Promise<CanonicalToolResult>;
  kill(signal: NodeJS.Signals): void;
};

/** Starts `vcp serve` on a free port and waits until it says where it listens; fails with its stderr when it ends first. */
export const startServerProcess = async (
  home: { root: string; data: string; plugins: string },
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [cli, 'serve'], {
    cwd: home.root,
    env: { ...cleanEnvironment(home), VCP_PORT: '0', VCP_PLUGIN_DIRS: home.plugins, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const address = /listens on (http:\/\/\S+)/.exec(stdout)?.[1];
      // The banner is one write, but a pipe may cut it: its last line is empty.
      if (address !== undefined && stdout.endsWith('\n')) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  const keyFile = join(home.data, 'api-key');
  const key = environment['VCP_API_KEY'] ?? (existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '');
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(init.headers as Record<string, string>),
      },
    });
  return {
    child,
    url,
    key,
    stdout: () => stdout,
    stderr: () => stderr,
    exit,
    request,
    call: async (tool, args = {}, options = {}, signal) => {
      const body = JSON.stringify({ tool, arguments: args, options });
      const response = await request('/v1/human/tool', {
        method: 'POST',
        body,
        ...(signal === undefined ? {} : { signal }),
      });
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as CanonicalToolResult;
    },
    kill: (signal) => void child.kill(signal),
  };
};
