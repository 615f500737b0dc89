import type { PluginLocation } from '../../ports/transport.ts';
import type { SandboxModule } from '../../ports/wasm-sandbox.ts';

/** Which versions of plugins use which modules, so that one is forgotten with the last of them and not before. */
export type ModuleUse = {
  /** Notes that a call of this version runs the module; gives the function that notes its end. */
  enter(plugin: PluginLocation, module: SandboxModule): () => void;
  retire(plugin: PluginLocation): void;
};

type Version = { readonly module: SandboxModule; calls: number };

export const createModuleUse = (forget: (module: SandboxModule) => void): ModuleUse => {
  const versions = new Map<PluginLocation, Version>();
  const retired = new WeakSet<PluginLocation>();

  const leaveIfDone = (plugin: PluginLocation) => {
    const version = versions.get(plugin);
    if (version === undefined || version.calls > 0 || !retired.has(plugin)) return;
    versions.delete(plugin);
    const { digest } = version.module;
    const isUsed = [...versions.values()].some(({ module }) => module.digest === digest);
    if (!isUsed) forget(version.module);
  };

  return {
    enter: (plugin, module) => {
      const version = versions.get(plugin) ?? { module, calls: 0 };
      version.calls += 1;
      versions.set(plugin, version);
      return () => {
        version.calls -= 1;
        leaveIfDone(plugin);
      };
    },
    retire: (plugin) => {
      retired.add(plugin);
      leaveIfDone(plugin);
    },
  };
};
