import type { PluginState, PluginStatus } from '../protocol/plugin-listing.ts';
import type { PluginEntry } from './registry-snapshot.ts';

/** What operators may know of a plugin that was found. */
export const describePlugin = ({ location, version, refused }: PluginEntry): PluginStatus => ({
  name: version?.definition.manifest.name ?? refused?.name ?? null,
  version: version?.definition.manifest.version ?? null,
  location,
  state: stateOf(version?.definition.enabled ?? null, refused !== null),
  enabled: version?.definition.enabled ?? null,
  switchedBy: version?.switchedBy ?? null,
  reason: refused?.reason ?? null,
  issues: refused?.issues ?? [],
  loadedAt: version === null ? null : new Date(version.loadedAt).toISOString(),
  digest: version?.revision ?? null,
});

const stateOf = (enabled: boolean | null, isRefused: boolean): PluginState => {
  if (enabled === null) return 'refused';
  if (!enabled) return 'disabled';
  return isRefused ? 'stale' : 'serving';
};
