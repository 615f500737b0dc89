import { TransportError, type PluginLocation } from '../../../src/ports/transport.ts';
import { GUEST_ENTRY, type SandboxModule } from '../../../src/ports/wasm-sandbox.ts';
import type { PluginManifest } from '../../../src/protocol/manifest.ts';
import { DEFAULT_MODULE_RULES } from '../../../src/sandbox/module-rules.ts';
import { createModulePreparer } from '../../../src/sandbox/prepare-module.ts';
import { sandboxLimitsOf } from '../../../src/transport/wasm/wasm-limits.ts';
import type { SandboxModules } from '../../../src/transport/wasm/wasm-transport.ts';
import { readModuleFile } from './read-module-file.ts';

export type WasmModuleSource = SandboxModules & {
  /** Reads and checks the module of a version of a plugin. Gives why it cannot be served, or null. */
  prepare(plugin: PluginLocation): Promise<string | null>;
};

type Prepared = { readonly ok: true; readonly module: SandboxModule } | { readonly ok: false; readonly reason: string };

/**
 * The modules of WebAssembly plugins, checked and instrumented when a version is first seen. Each version, told apart
 * by its manifest object, keeps the module that it was accepted with, whatever is in the file by now.
 */
export const createWasmModuleSource = (limits: Parameters<typeof sandboxLimitsOf>[1]): WasmModuleSource => {
  const preparer = createModulePreparer();
  const prepared = new WeakMap<PluginManifest, Promise<Prepared>>();

  const make = async (plugin: PluginLocation): Promise<Prepared> => {
    const read = await readModuleFile(plugin, DEFAULT_MODULE_RULES.moduleBytes);
    if (!read.ok) return read;
    const { memoryPages } = sandboxLimitsOf(plugin.manifest, limits);
    const preparation = await preparer.prepare(read.bytes, { ...DEFAULT_MODULE_RULES, memoryPages });
    if (!preparation.ok) return { ok: false, reason: `its module is not accepted: ${preparation.reason}` };
    const { sandbox, exports } = preparation.module;
    if (!exports.includes(GUEST_ENTRY)) {
      return { ok: false, reason: `its module exports no function "${GUEST_ENTRY}"` };
    }
    return { ok: true, module: sandbox };
  };

  const preparedOf = (plugin: PluginLocation): Promise<Prepared> => {
    const known = prepared.get(plugin.manifest);
    if (known !== undefined) return known;
    const making = make(plugin);
    prepared.set(plugin.manifest, making);
    return making;
  };

  return {
    prepare: async (plugin) => {
      const made = await preparedOf(plugin);
      return made.ok ? null : made.reason;
    },
    load: async (plugin) => {
      const made = await preparedOf(plugin);
      if (!made.ok) throw new TransportError('INTERNAL_ERROR', `the plugin cannot be loaded: ${made.reason}`);
      return made.module;
    },
  };
};
