import { TransportError, type PluginLocation } from '../../src/ports/transport.ts';
import type { SandboxModule } from '../../src/ports/wasm-sandbox.ts';
import type { PluginManifest } from '../../src/protocol/manifest.ts';
import { compilePlugin } from '../../src/registry/compile-plugin.ts';
import { candidateOf, type PluginCandidate } from '../../src/registry/plugin-candidate.ts';
import { unservedReason } from '../../src/registry/unserved-reason.ts';
import type { PluginSource } from '../../src/runtime/plugin-service.ts';
import type { DirectModule, ModuleLoader } from '../../src/transport/direct/direct-transport.ts';
import { messageProcessor, type MessageProcessor } from '../../src/transport/direct/message-processor.ts';
import type { SandboxModules } from '../../src/transport/wasm/wasm-transport.ts';

/** A plugin as `vcp edge build` has put it into a worker. */
export type DeployedPlugin = {
  /** Where it was found, as operators are told. */
  readonly location: string;
  /** The manifest's text. */
  readonly manifest: string;
  /** Why the build left it out, or null. */
  readonly refusal: string | null;
  /** The values of its declared configuration. */
  readonly configuration: Readonly<Record<string, string>>;
  /** Instrumented at the build and compiled by the platform, with the SHA-256 of its bytes. */
  readonly guest?: { readonly digest: string; readonly module: WebAssembly.Module };
  /** What its module inside the server exports. */
  readonly module?: Partial<DirectModule & MessageProcessor>;
};

export type DeployedPlugins = {
  readonly source: PluginSource;
  readonly modules: SandboxModules;
  readonly loader: ModuleLoader;
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
};

/** What this runtime serves at all. */
export const SERVED_BY_WORKERS = {
  wasm: true,
  noProcesses: 'Workers start none: serve it on Node or Deno, or build it for the sandbox',
  noPlaceholders: 'Workers keep nothing running that would ask it again: serve it on Node or Deno',
};

/** The plugins of a worker: they come with it, and change with it only. */
export const openDeployedPlugins = (plugins: readonly DeployedPlugin[]): DeployedPlugins => {
  const byManifest = new Map<PluginManifest, DeployedPlugin>();
  let candidates: readonly PluginCandidate[] | null = null;

  const judge = (plugin: DeployedPlugin): PluginCandidate => {
    const { location, manifest: text, refusal } = plugin;
    const compiled = compilePlugin({ text, directory: null, location });
    // Nothing but another deployment changes a plugin.
    const candidate = candidateOf(
      location,
      'deployed',
      compiled,
      ({ manifest }) => unservedReason(manifest, SERVED_BY_WORKERS) ?? refusal,
    );
    if (candidate.ok) byManifest.set(candidate.definition.manifest, plugin);
    return candidate;
  };

  const deployed = ({ manifest }: PluginLocation): DeployedPlugin => {
    const plugin = byManifest.get(manifest);
    if (plugin === undefined) throw new TransportError('INTERNAL_ERROR', 'the plugin is not part of this deployment');
    return plugin;
  };

  return {
    source: {
      read: async () => (candidates ??= plugins.map(judge)),
      mayStay: () => false,
    },
    modules: {
      load: async (plugin): Promise<SandboxModule> => {
        const { guest } = deployed(plugin);
        if (guest === undefined)
          throw new TransportError('INTERNAL_ERROR', 'the plugin was deployed without its module');
        return { digest: guest.digest, bytes: null, compiled: guest.module };
      },
    },
    loader: {
      load: async (plugin) => {
        const { module = {} } = deployed(plugin);
        if (plugin.manifest.pluginType === 'messagePreprocessor' && typeof module.processMessages === 'function')
          return messageProcessor(module as MessageProcessor);
        if (typeof module.processToolCall === 'function') return module as DirectModule;
        throw new TransportError(
          'INTERNAL_ERROR',
          "the plugin's module does not export processToolCall(args, context)",
        );
      },
    },
    configurationOf: (plugin) => byManifest.get(plugin.manifest)?.configuration ?? {},
  };
};
