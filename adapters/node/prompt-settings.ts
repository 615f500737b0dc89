import { parseEnv } from 'node:util';
import { describeFault } from '../../src/lib/describe-fault.ts';
import { isPromptVariable } from '../../src/lib/variable-names.ts';
import type { Logger } from '../../src/ports/logger.ts';
import { followTextFile } from '../fs/follow-text-file.ts';

/** Bytes of a configuration file that holds prompts too. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The `Tar…`, `Var…` and `Sar…` settings, from the environment over the configuration file, which is looked at each time
 * that it is asked for. Nothing else leaves either of them. A file that cannot be read leaves what was there before.
 */
export const promptSettings = (
  environment: NodeJS.ProcessEnv,
  file: string | null,
  now: () => number,
  logger: Logger,
): (() => ReadonlyMap<string, string>) => {
  const followed = file === null ? null : followTextFile(file, MOST_BYTES, now);
  const fixed = promptsAmong(environment);
  let current: ReadonlyMap<string, string> = new Map(fixed);
  let isFaulty = false;
  return () => {
    try {
      const change = followed?.readChange() ?? null;
      if (change !== null) current = new Map([...promptsAmong(parseEnv(change.text ?? '')), ...fixed]);
      isFaulty = false;
    } catch (error) {
      if (!isFaulty) logger.warn('prompts.settings-unreadable', { fault: describeFault(error) });
      isFaulty = true;
    }
    return current;
  };
};

const promptsAmong = (variables: Readonly<Record<string, string | undefined>>): [string, string][] =>
  Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPromptVariable(entry[0]),
  );
