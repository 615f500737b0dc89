import process from 'node:process';
import { CAPABILITIES, lackingOn, RUNTIMES, type Runtime } from '../../../../src/server/capabilities.ts';
import { ok, warn, type Finding } from './finding.ts';

/** What the runtime that serves here cannot do; docs/capabilities.md has the other runtimes too. */
export const checkCapabilities = (runtime: Runtime = runtimeHere()): Finding[] => {
  const lacking = lackingOn(runtime);
  const able = CAPABILITIES.length - lacking.length;
  return [
    ok('capabilities', `${RUNTIMES[runtime]} has ${able} of ${CAPABILITIES.length} in full (docs/capabilities.md)`),
    ...lacking.map(({ name, support: { is, note } }) =>
      warn('capability', `${name}: ${is}`, is === 'no' ? `${note}; serve it on another runtime` : note),
    ),
  ];
};

const runtimeHere = (): Runtime => (process.versions['deno'] === undefined ? 'node' : 'deno');
