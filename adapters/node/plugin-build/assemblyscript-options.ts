import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';
import { PluginBuildError } from './build-report.ts';

export const ASCONFIG_FILE = 'asconfig.json';

/**
 * What an author may set in an `asconfig.json` beside the manifest, under `options`. The compiler itself never sees the
 * file: its `transform` runs code of the plugin's author on the machine of whoever builds it.
 */
const AsConfig = z.strictObject({
  options: z
    .strictObject({
      // An instance lives for one call, so that there is nothing to collect; "incremental" is for calls that make much waste.
      runtime: z.enum(['stub', 'minimal', 'incremental']).default('stub'),
      optimizeLevel: z.int().min(0).max(3).default(3),
      // Any other makes `join` take the square of its length in memory.
      shrinkLevel: z.int().min(0).max(2).default(0),
    })
    .prefault({}),
});

/**
 * The compiler's arguments out of the folder's `asconfig.json`, which may be missing.
 *
 * @throws PluginBuildError when it cannot be read, or says anything else.
 */
export const assemblyscriptOptions = (directory: string): string[] => {
  const parsed = AsConfig.safeParse(readConfig(join(directory, ASCONFIG_FILE)));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
    throw new PluginBuildError(
      `${ASCONFIG_FILE} is not accepted: ${faults.join('; ')}. It may say {"options": {"runtime", "optimizeLevel", "shrinkLevel"}} and nothing else`,
    );
  }
  return Object.entries(parsed.data.options).flatMap(([name, value]) => [`--${name}`, String(value)]);
};

const readConfig = (file: string): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new PluginBuildError(`${ASCONFIG_FILE} cannot be read: ${messageOf(error)}`);
  }
  const value = parseJson(text, DEFAULT_LIMITS);
  if (!value.ok) throw new PluginBuildError(`${ASCONFIG_FILE} cannot be read: ${value.issue.message}`);
  return value.value;
};
