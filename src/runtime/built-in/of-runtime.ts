import type { PluginManifest } from '../../protocol/manifest.ts';

/** Told by the object and not by its name: no plugin can have it. */
const ofRuntime = new WeakSet<PluginManifest>();

/** Notes that a manifest is one of a tool of the runtime's own. */
export const markOfRuntime = (manifest: PluginManifest): void => void ofRuntime.add(manifest);

/** Whether this manifest is one of a tool of the runtime's own. */
export const isOfRuntime = (manifest: PluginManifest): boolean => ofRuntime.has(manifest);
