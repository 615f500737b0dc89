import { createMemoryPluginKvStore } from '../../adapters/memory/memory-plugin-kv-store.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { LogFields, Logger } from '../../src/ports/logger.ts';
import type { WasmSandbox } from '../../src/ports/wasm-sandbox.ts';
import { createWasmTransport, type WasmTransportOptions } from '../../src/transport/wasm/wasm-transport.ts';
import { createMemoryRuntime, type MemoryRuntimeOptions } from './memory-runtime.ts';
import { manifest } from './sample-values.ts';
import { sandboxModule } from './scripted-sandbox.ts';

export type WasmRuntimeOptions = Omit<MemoryRuntimeOptions, 'limits'> & {
  readonly fields?: Record<string, unknown>;
  readonly command?: Record<string, unknown>;
  readonly limits?: Partial<Limits>;
  readonly parts?: Partial<WasmTransportOptions>;
};

export const wasmManifest = (fields: Record<string, unknown> = {}, command: Record<string, unknown> = {}) =>
  manifest({ entryPoint: { type: 'wasm', file: 'plugin.wasm' }, ...fields }, command);

/** A runtime whose one tool runs in the given sandbox. */
export const createWasmRuntime = (sandbox: WasmSandbox, options: WasmRuntimeOptions = {}) => {
  const { fields, command, parts = {}, ...more } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const pluginLog: { readonly level: string; readonly event: string; readonly fields: LogFields }[] = [];
  const log =
    (level: string) =>
    (event: string, logFields: LogFields = {}) =>
      void pluginLog.push({ level, event, fields: logFields });
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const transport = createWasmTransport({
    sandbox,
    modules: { load: async () => sandboxModule() },
    limits,
    timeZone: 'Europe/Vienna',
    seed: () => 4_000_000_000,
    fetch: async () => ({ ok: false, code: 'UNKNOWN_HOST', message: 'there is no network here', retryable: false }),
    values: createMemoryPluginKvStore(),
    logger,
    now: () => Date.now(),
    configurationOf: () => ({}),
    redact: (text) => text,
    ...parts,
  });
  const runtime = createMemoryRuntime({ ...more, manifests: [wasmManifest(fields, command)], transport });
  return { ...runtime, transport, pluginLog };
};
