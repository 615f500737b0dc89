import type { PluginChange } from '../protocol/plugin-listing.ts';
import type { PluginDefinition } from './plugin-definition.ts';
import type { RegistrySnapshot } from './registry-snapshot.ts';

/** What an operator would want to hear of the step from one state to the next: tools by name, then refusals. */
export const snapshotChanges = (previous: RegistrySnapshot, next: RegistrySnapshot): readonly PluginChange[] => {
  const places = { ...placesOf(previous), ...placesOf(next) };
  const refused = new Set(next.entries.flatMap((entry) => (entry.refused === null ? [] : [entry.location])));
  const names = [...new Set([...previous.tools.keys(), ...next.tools.keys()])].toSorted();
  const changes = names.flatMap((name): PluginChange[] => {
    const old = previous.tools.get(name) ?? null;
    const now = next.tools.get(name) ?? null;
    if (old === now) return [];
    const shared = {
      name,
      version: (now ?? old)?.manifest.version ?? null,
      previousVersion: now === null ? null : (old?.manifest.version ?? null),
      location: places[name] as string,
    };
    if (now === null) {
      return [{ ...shared, change: 'retired', reason: refused.has(shared.location) ? 'refused' : 'removed' }];
    }
    if (old === null) return [{ ...shared, change: 'loaded', reason: now.enabled ? null : 'disabled' }];
    if (old.manifest !== now.manifest) return [{ ...shared, change: 'reloaded', reason: null }];
    return [
      now.enabled
        ? { ...shared, change: 'loaded', reason: 'enabled' }
        : { ...shared, change: 'retired', reason: 'disabled' },
    ];
  });
  return [...changes, ...newRefusals(previous, next)];
};

/** The versions that get no more calls. */
export const retiredVersions = (previous: RegistrySnapshot, next: RegistrySnapshot): readonly PluginDefinition[] => {
  const stay = new Set(next.tools.values());
  return [...previous.tools.values()].filter((definition) => !stay.has(definition));
};

/** A refusal is told once, and again only for another reason. */
const newRefusals = (previous: RegistrySnapshot, next: RegistrySnapshot): PluginChange[] => {
  const told = new Map(previous.entries.map(({ location, refused }) => [location, refused?.reason]));
  return next.entries.flatMap(({ location, refused }): PluginChange[] =>
    refused === null || told.get(location) === refused.reason
      ? []
      : [
          {
            change: 'refused',
            name: refused.name,
            version: refused.serving ?? null,
            previousVersion: null,
            location,
            reason: refused.reason,
          },
        ],
  );
};

const placesOf = ({ entries }: RegistrySnapshot): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(({ location, version }) =>
      version === null ? [] : [[version.definition.manifest.name, location] as const],
    ),
  );
