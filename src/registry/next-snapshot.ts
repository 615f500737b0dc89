import type { PluginCandidate } from './plugin-candidate.ts';
import type { PluginDefinition } from './plugin-definition.ts';
import type { PluginEntry, RegistrySnapshot, ServedVersion } from './registry-snapshot.ts';

export type SnapshotRules = {
  /** What operators have said by the name of a plugin; it goes before the manifest's own `enabled`. */
  readonly switches: ReadonlyMap<string, boolean>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether a version that was served may go on although a newer state of its plugin is refused. */
  mayStay(definition: PluginDefinition): boolean;
};

/**
 * The state that follows from what was found. A name goes to the first who takes it, as at a start; only what is
 * refused falls back on the version that was served from the same place, and only while nobody else has its name.
 */
export const nextSnapshot = (
  previous: RegistrySnapshot,
  candidates: readonly PluginCandidate[],
  rules: SnapshotRules,
): RegistrySnapshot => {
  const before = new Map(previous.entries.map((entry) => [entry.location, entry.version]));
  const owners = new Map<string, string>();

  const newest = candidates.map((candidate): PluginEntry => {
    const { location } = candidate;
    if (!candidate.ok) return { location, version: null, refused: candidate.refused };
    const { name } = candidate.definition.manifest;
    const owner = owners.get(name);
    if (owner !== undefined) {
      const reason = `the name "${name}" is taken by the plugin in ${owner}`;
      return { location, version: null, refused: { name, location, reason, issues: [] } };
    }
    owners.set(name, location);
    const version = versionOf(candidate.definition, candidate.revision, before.get(location) ?? null, rules);
    return { location, version, refused: null };
  });

  const entries = newest.map((entry): PluginEntry => {
    const last = before.get(entry.location) ?? null;
    if (entry.refused === null || last === null || !rules.mayStay(last.definition)) return entry;
    const { name, version } = last.definition.manifest;
    if (owners.has(name)) return entry;
    owners.set(name, entry.location);
    return {
      location: entry.location,
      version: versionOf(last.definition, last.revision, last, rules),
      refused: { ...entry.refused, name: entry.refused.name ?? name, serving: version },
    };
  });

  const served = entries.flatMap(({ version }) => (version === null ? [] : [version.definition]));
  const ordered = served.toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  return { tools: new Map(ordered.map((definition) => [definition.manifest.name, definition])), entries };
};

/**
 * What has not changed keeps its identity. Everything else is an object of its own, also a version that comes back:
 * its transports have been told that the earlier object gets no more calls.
 */
const versionOf = (
  definition: PluginDefinition,
  revision: string,
  last: ServedVersion | null,
  { switches, now }: SnapshotRules,
): ServedVersion => {
  const word = switches.get(definition.manifest.name);
  const enabled = word ?? definition.manifest.enabled;
  const switchedBy = word === undefined ? 'manifest' : 'operator';
  const isSame = last !== null && last.revision === revision;
  if (isSame && last.definition.enabled === enabled) {
    return last.switchedBy === switchedBy ? last : { ...last, switchedBy };
  }
  const base = isSame ? last.definition : definition;
  return { definition: { ...base, enabled, revision }, revision, loadedAt: isSame ? last.loadedAt : now, switchedBy };
};
