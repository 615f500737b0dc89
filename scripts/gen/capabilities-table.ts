import { CAPABILITIES, RUNTIMES, type Runtime, type Support } from '../../src/server/capabilities.ts';
import { markdownTable } from './write.ts';

/** What each runtime can do and cannot. */
export const capabilitiesTable = (): string => {
  const runtimes = Object.keys(RUNTIMES) as Runtime[];
  return markdownTable(
    ['', ...runtimes.map((runtime) => RUNTIMES[runtime])],
    CAPABILITIES.map((capability) => [capability.name, ...runtimes.map((runtime) => written(capability[runtime]))]),
  );
};

const written = (support: Support): string => (support.is === 'yes' ? 'yes' : `**${support.is}**: ${support.note}`);
