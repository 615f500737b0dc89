import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Limits } from '../../../src/lib/limits.ts';
import { suggestName } from '../../../src/lib/suggest.ts';
import { DEFAULT_KEY_ID, type ApiKeyEntry, type ApiKeysFile } from '../../../src/protocol/api-keys.ts';
import { changeKeysFile, type KeysChange } from '../change-keys-file.ts';
import { UsageError } from './exit.ts';
import { keyState } from './keys-table.ts';

/** `vcp keys revoke`: ends a key of the file, or switches the default one off. What was ended before stays so. */
export const revokeKey = (file: string, limits: Limits, wanted: string): void => {
  if (!existsSync(file)) throw new UsageError(`there is no keys file ${file} yet; vcp keys new makes it`);
  const now = new Date();
  const said = changeKeysFile(file, limits, (before) =>
    wanted === DEFAULT_KEY_ID || wanted === 'default'
      ? switchDefaultOff(before, now.getTime())
      : revoke(before, findKey(before, wanted, file), now),
  );
  process.stderr.write(`vcp: ${said}\n`);
};

const revoke = (before: ApiKeysFile, entry: ApiKeyEntry, now: Date): KeysChange<string> => {
  const who = `${entry.id} ("${entry.name}")`;
  if (entry.revokedAt !== undefined) return { file: null, outcome: `${who} was revoked before, at ${entry.revokedAt}` };
  const revoked = { ...entry, revokedAt: now.toISOString() };
  const keys = before.keys.map((other) => (other === entry ? revoked : other));
  return { file: { ...before, keys }, outcome: `${who} opens nothing any more` };
};

/** Nobody is to lock themselves out: another key that may do everything must be there first. */
const switchDefaultOff = (before: ApiKeysFile, nowMs: number): KeysChange<string> => {
  if (!before.defaultKey) return { file: null, outcome: 'the default key was switched off before' };
  const hasAdmin = before.keys.some(
    (entry) => entry.roles.includes('admin') && entry.tools === null && keyState(entry, nowMs) === 'active',
  );
  if (hasAdmin) return { file: { ...before, defaultKey: false }, outcome: 'the default key opens nothing any more' };
  throw new UsageError(
    'the default key is the only one that may do everything; make another first: vcp keys new --name NAME --role admin',
  );
};

const findKey = ({ keys }: ApiKeysFile, wanted: string, file: string): ApiKeyEntry => {
  const byId = keys.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const named = keys.filter(({ name }) => name === wanted);
  const alive = named.filter(({ revokedAt }) => revokedAt === undefined);
  if (alive.length > 1) {
    const ids = alive.map(({ id }) => id).join(', ');
    throw new UsageError(`${alive.length} keys have the name "${wanted}"; give the id: ${ids}`);
  }
  const found = alive[0] ?? named[0];
  if (found !== undefined) return found;
  const known = keys.flatMap(({ id, name }) => [id, name]);
  const near = suggestName(wanted, known);
  const hint = near === null ? '; "vcp keys list" shows them' : `; did you mean ${near}?`;
  throw new UsageError(`${file} has no key "${wanted}"${hint}`);
};
