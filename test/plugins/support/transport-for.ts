import { createMemoryPluginKvStore } from '../../../adapters/memory/memory-plugin-kv-store.ts';
import { createModuleLoader } from '../../../adapters/node/module-loader.ts';
import { createStdioTransport } from '../../../adapters/node/stdio/stdio-transport.ts';
import { createWasmModuleSource } from '../../../adapters/node/wasm/module-source.ts';
import { createWorkerSandbox } from '../../../adapters/node/wasm/worker-sandbox.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { TransportAdapter } from '../../../src/ports/transport.ts';
import { createDirectTransport } from '../../../src/transport/direct/direct-transport.ts';
import { createWasmTransport } from '../../../src/transport/wasm/wasm-transport.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import type { PluginUnderTest } from './bundled-plugins.ts';
import { declaredConfiguration } from './raw-stdout.ts';
import { recordedFetch } from './recorded-fetch.ts';

export type TransportKind = 'stdio' | 'direct' | 'wasm';

export const transportKindOf = ({ definition }: PluginUnderTest): TransportKind => {
  const { entryPoint, communication } = definition.manifest;
  if (entryPoint.type === 'wasm') return 'wasm';
  return communication.protocol === 'direct' ? 'direct' : 'stdio';
};

/** The real transport of a plugin's kind; of a sandboxed one, with recorded answers for a network. */
export const transportFor = (
  plugin: PluginUnderTest,
  { pluginDataRoot, recordedAt }: { readonly pluginDataRoot: string; readonly recordedAt: string | null },
): TransportAdapter => {
  const limits = DEFAULT_LIMITS;
  const configurationOf = (location: Parameters<typeof declaredConfiguration>[0]) =>
    declaredConfiguration(location, plugin.configuration);
  switch (transportKindOf(plugin)) {
    case 'stdio':
      return createStdioTransport({ limits, logger: silentLogger, pluginDataRoot, configurationOf });
    case 'direct': {
      const maxFiles = limits.pluginFiles;
      const bundledDirectories = [plugin.directory];
      return createDirectTransport(createModuleLoader({ digests: new Set(), bundledDirectories, maxFiles }), limits);
    }
    case 'wasm':
      return createWasmTransport({
        sandbox: createWorkerSandbox({ limits, logger: silentLogger }),
        modules: createWasmModuleSource(limits),
        limits,
        timeZone: 'UTC',
        seed: () => 1,
        fetch: recordedFetch(recordedAt),
        values: createMemoryPluginKvStore(),
        logger: silentLogger,
        now: () => Date.now(),
        configurationOf,
        redact: (text) => text,
      });
  }
};
