import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildJavascript } from '../../adapters/node/plugin-build/build-javascript.ts';
import type { BuildOptions } from '../../adapters/node/plugin-build/build-report.ts';
import { createWorkerSandbox } from '../../adapters/node/wasm/worker-sandbox.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { HostAnswer, HostCall, SandboxModule, SandboxOutcome } from '../../src/ports/wasm-sandbox.ts';
import { DEFAULT_MODULE_RULES } from '../../src/sandbox/module-rules.ts';
import { createModulePreparer } from '../../src/sandbox/prepare-module.ts';
import { silentLogger } from './silent-logger.ts';

/** Builds a plugin out of files (by path in its folder), somewhere else each time, and gives the module's bytes. */
export const builtPlugin = async (
  files: Readonly<Record<string, string>>,
  options: BuildOptions = {},
): Promise<Uint8Array<ArrayBuffer>> => {
  const directory = await mkdtemp(join(tmpdir(), 'vcp-plugin-build-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(join(directory, file), text);
    }
    const { file } = await buildJavascript(directory, options);
    return new Uint8Array(await readFile(file));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

export type PluginAnswer = {
  /** What the plugin answered, or undefined when the run had no output. */
  readonly payload: any; // oxlint-disable-line typescript/no-explicit-any -- tests look into it
  readonly outcome: SandboxOutcome;
  readonly calls: readonly HostCall[];
};

export type RunningPlugin = {
  call(
    command: string,
    options?: {
      readonly args?: object;
      readonly context?: object;
      readonly answer?: (call: HostCall) => HostAnswer;
      readonly fuel?: number;
    },
  ): Promise<PluginAnswer>;
  close(): Promise<void>;
};

const MEMORY_PAGES = 256;

/** A built plugin in the sandbox of a server, instrumented as there. */
export const runningPlugin = async (bytes: Uint8Array<ArrayBuffer>): Promise<RunningPlugin> => {
  const module = await preparedModule(bytes);
  const sandbox = createWorkerSandbox({ limits: DEFAULT_LIMITS, logger: silentLogger });
  const { wasmFuel, wasmHostBytes, wasmOutputBytes, wasmLogBytes } = DEFAULT_LIMITS;
  return {
    call: async (command, { args = {}, context = {}, answer = () => ({ ok: null }), fuel = wasmFuel } = {}) => {
      const calls: HostCall[] = [];
      const surroundings = { now: '2026-11-30T12:00:00.000Z', timeZone: 'Asia/Shanghai', seed: 7 };
      const outcome = await sandbox.run({
        module,
        exportName: 'invoke',
        input: new TextEncoder().encode(
          JSON.stringify({ command, arguments: args, context: { ...surroundings, ...context } }),
        ),
        limits: {
          fuel,
          memoryPages: MEMORY_PAGES,
          hostBytes: wasmHostBytes,
          outputBytes: wasmOutputBytes,
          logBytes: wasmLogBytes,
        },
        host: {
          refusalOf: () => null,
          call: async (call) => {
            calls.push(call);
            return answer(call);
          },
        },
        signal: new AbortController().signal,
      });
      const text = outcome.type === 'output' ? new TextDecoder('utf-8', { fatal: true }).decode(outcome.bytes) : null;
      return { payload: text === null ? undefined : JSON.parse(text), outcome, calls };
    },
    close: () => sandbox.close(),
  };
};

const preparedModule = async (bytes: Uint8Array<ArrayBuffer>): Promise<SandboxModule> => {
  const rules = { ...DEFAULT_MODULE_RULES, memoryPages: MEMORY_PAGES };
  const preparation = await createModulePreparer().prepare(bytes, rules);
  if (!preparation.ok) throw new Error(preparation.reason);
  return preparation.module.sandbox;
};
