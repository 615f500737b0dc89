import { readFile } from 'node:fs/promises';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';

/** The value of a JSON file. Throws when it cannot be read or is no JSON. */
export const readJsonFile = async (file: string): Promise<unknown> => {
  const parsed = parseJson(await readFile(file, 'utf8'), DEFAULT_LIMITS);
  if (!parsed.ok) throw new Error(`${file}: ${parsed.issue.message}`);
  return parsed.value;
};
