import type { Limits } from '../lib/limits.ts';
import type { Logger } from '../ports/logger.ts';
import type { ConfigurationReload } from '../protocol/plugin-listing.ts';
import { isLiveVariable, limitVariable, type Configuration, type LoadedConfiguration } from './configuration.ts';

export type LiveConfiguration = {
  /** What is in force. */
  current(): Configuration;
  /** Reads it again: takes over what can change in a running server, and warns of what cannot. */
  reload(): ConfigurationReload;
};

/**
 * `read` gives the variables as they are now, `onApplied` hears of what has come into force before anything is logged.
 * What cannot be used as a whole leaves the last good configuration.
 */
export const createLiveConfiguration = (
  initial: { readonly configuration: Configuration; readonly limits: Limits },
  read: () => LoadedConfiguration,
  logger: Logger,
  onApplied: (configuration: Configuration) => void = () => undefined,
): LiveConfiguration => {
  const started = variablesOf(initial);
  let current = initial.configuration;
  let seen = started;
  let lastFault = '';

  const warnOfFaults = (errors: ConfigurationReload['errors']) => {
    const fault = errors.map(({ name, message }) => `${name} ${message}`).join('; ');
    if (fault !== '' && fault !== lastFault) {
      logger.warn('configuration.refused', { reason: `${fault}; the configuration before it stays in force` });
    }
    lastFault = fault;
  };

  return {
    current: () => current,
    reload: () => {
      const loaded = read();
      const errors = loaded.ok ? [] : [...loaded.errors];
      warnOfFaults(errors);
      if (!loaded.ok) return { applied: [], needsRestart: differing(started, seen).filter(isNotLive), errors };
      const found = variablesOf(loaded);
      const changed = differing(seen, found);
      seen = found;
      const applied = changed.filter((name) => isLiveVariable(name));
      const live = Object.fromEntries(applied.map((name) => [name, (loaded.configuration as Values)[name]]));
      current = { ...current, ...live };
      if (applied.length > 0) {
        onApplied(current);
        logger.info('configuration.applied', { names: applied.join(', ') });
      }
      const needsRestart = differing(started, found).filter(isNotLive);
      for (const name of needsRestart) {
        if (changed.includes(name)) logger.warn('configuration.needs-restart', { name });
      }
      return { applied, needsRestart, errors };
    },
  };
};

type Values = Readonly<Record<string, unknown>>;

/** Every variable with its value in a form that can be compared. */
const variablesOf = ({
  configuration,
  limits,
}: {
  readonly configuration: Configuration;
  readonly limits: Limits;
}): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(configuration).map(([name, value]) => [name, JSON.stringify(value) ?? ''] as const),
    ...Object.entries(limits).map(([name, value]) => [limitVariable(name), String(value)] as const),
  ]);

const differing = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((name) => (a.get(name) ?? '') !== (b.get(name) ?? ''));

const isNotLive = (name: string): boolean => !isLiveVariable(name);
