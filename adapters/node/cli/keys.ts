import { hash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { suggestName } from '../../../src/lib/suggest.ts';
import { DEFAULT_KEY_ID, KeyRole, type ApiKeyEntry, type ApiKeysFile } from '../../../src/protocol/api-keys.ts';
import { makeDirectory } from '../../fs/make-directory.ts';
import { makeApiKey } from '../api-key.ts';
import { changeKeysFile, readKeysFile } from '../change-keys-file.ts';
import { KeysFileFault, keysFileOf, openToOthers } from '../keys-file.ts';
import { readConfiguration } from '../read-configuration.ts';
import { UsageError } from './exit.ts';
import { readExpiry, readRate, readToolName, readToolRates } from './keys-options.ts';
import { keyState, keyTable } from './keys-table.ts';

/** `vcp keys …`: works on the keys file itself, so no server is needed; a running one sees the change at once. */
export const addKeysCommands = (program: Command): void => {
  const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];
  const keys = program.command('keys').description('make, list and revoke API keys');

  keys
    .command('new')
    .description('make a key; stdout has it, this once')
    .requiredOption('--name <name>', 'what it is called, for people')
    .option('--role <role>', `${KeyRole.options.join(', ')} (default: human); may be repeated`, collect)
    .option('--tool <tool>', 'a tool that it may use (default: all); may be repeated', collect)
    .option('--rate <rate>', 'requests in a time, such as 60/60s or 1000/1h (default: no limit)')
    .option('--tool-rate <tool=rate>', 'calls of one tool in a time, such as Weather=10/60s; may be repeated', collect)
    .option('--expires <when>', 'when it ends: 30d from now, 2027-01-31, or an RFC 3339 date and time')
    .option('--json', 'print JSON: the key and what was noted of it')
    .action((options: NewOptions) => forFile((file) => newKey(file, options)));

  keys
    .command('list')
    .description('list the keys of the file')
    .option('--json', 'print JSON')
    .action((options: { readonly json?: boolean }) => forFile((file) => listKeys(file, options.json ?? false)));

  keys
    .command('revoke')
    .description('end a key; "default" switches the server’s own key off')
    .argument('<key>', 'id or name of the key')
    .action((key: string) => forFile((file) => revokeKey(file, key)));
};

type NewOptions = {
  readonly name: string;
  readonly role?: readonly string[];
  readonly tool?: readonly string[];
  readonly rate?: string;
  readonly toolRate?: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
};

/** Runs a command on the keys file of the configuration; what the file system refuses is told in a sentence. */
const forFile = async (command: (file: string) => void | Promise<void>): Promise<void> => {
  const loaded = readConfiguration(process.env);
  if (!loaded.ok) {
    const faults = loaded.errors.map(({ name, message }) => `${name} ${message}`).join('; ');
    throw new UsageError(`the configuration is not valid: ${faults}`);
  }
  const file = keysFileOf(loaded.configuration);
  try {
    await command(file);
  } catch (error) {
    if (error instanceof KeysFileFault) throw new UsageError(error.message);
    const { code, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number };
    if (errcode === SQLITE_BUSY) throw new UsageError(`others are changing ${file}; nothing was changed, try again`);
    if (code === undefined) throw error;
    throw new UsageError(`${file} cannot be used (${message}); VCP_API_KEYS_FILE or VCP_DATA_DIR say where it is`);
  }
};

const SQLITE_BUSY = 5;

const newKey = async (file: string, options: NewOptions): Promise<void> => {
  const key = makeApiKey();
  const now = Date.now();
  const tools = options.tool?.map((tool) => readToolName('--tool', tool)) ?? null;
  const toolRateLimits = readToolRates(options.toolRate ?? []);
  const unusable = Object.keys(toolRateLimits).find((tool) => tools !== null && !tools.includes(tool));
  if (unusable !== undefined) throw new UsageError(`--tool-rate limits ${unusable}, which no --tool lets the key use`);
  const name = options.name.trim();
  if (name === '' || name.length > 128) throw new UsageError('--name must have 1 to 128 characters');
  const entry = {
    name,
    sha256: hash('sha256', key),
    roles: [...new Set((options.role ?? ['human']).map(readRole))],
    tools: tools === null ? null : [...new Set(tools)],
    rateLimit: options.rate === undefined ? null : readRate('--rate', options.rate),
    toolRateLimits,
    createdAt: new Date(now).toISOString(),
    ...(options.expires === undefined ? {} : { expiresAt: readExpiry(options.expires, now) }),
  };
  await makeDirectory(dirname(file), 0o700);
  let made: ApiKeyEntry | null = null;
  changeKeysFile(file, (before) => {
    const holder = before.keys.find((other) => other.name === name && other.revokedAt === undefined);
    if (holder !== undefined || name === 'default') {
      throw new UsageError(
        `there is a key with the name "${name}" (${holder?.id ?? DEFAULT_KEY_ID}); take another name, or revoke that key first`,
      );
    }
    made = { id: freshId(before), ...entry };
    return { ...before, keys: [...before.keys, made] };
  });
  const { sha256: _, ...noted } = made as unknown as ApiKeyEntry;
  process.stdout.write(options.json ? `${JSON.stringify({ key, ...noted }, null, 2)}\n` : `${key}\n`);
  process.stderr.write(
    `vcp: this key is ${noted.id} ("${name}"), noted in ${file}; it is not shown again. A running server knows it already.\n`,
  );
};

const readRole = (text: string): KeyRole => {
  const role = KeyRole.safeParse(text);
  if (role.success) return role.data;
  throw new UsageError(`there is no role "${text}"; the roles are ${KeyRole.options.join(', ')}`);
};

const freshId = ({ keys }: ApiKeysFile): string => {
  const id = `key_${randomBytes(8).toString('hex')}`;
  return keys.some((entry) => entry.id === id) ? freshId({ version: 1, defaultKey: true, keys }) : id;
};

const listKeys = (file: string, asJson: boolean): void => {
  const { defaultKey, keys } = readKeysFile(file);
  const now = Date.now();
  warnIfOpen(file);
  if (!asJson) {
    process.stdout.write(keyTable(defaultKey, keys, now));
    return;
  }
  const shown = keys.map(({ sha256, ...entry }) => ({
    ...entry,
    // Enough to compare with, not the whole.
    sha256Start: sha256.slice(0, 8),
    state: keyState(entry, now),
  }));
  process.stdout.write(`${JSON.stringify({ file, defaultKey, keys: shown }, null, 2)}\n`);
};

const warnIfOpen = (file: string): void => {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const open = mode === undefined ? null : openToOthers(file, mode & 0o777);
  if (open !== null) process.stderr.write(`vcp: warning: ${open}\n`);
};

const revokeKey = async (file: string, wanted: string): Promise<void> => {
  await makeDirectory(dirname(file), 0o700);
  const now = new Date();
  let said = '';
  changeKeysFile(file, (before) => {
    if (wanted === DEFAULT_KEY_ID || wanted === 'default') {
      said = before.defaultKey ? 'the default key opens nothing any more' : 'the default key was switched off before';
      return before.defaultKey ? switchDefaultOff(before, now.getTime()) : null;
    }
    const entry = findKey(before, wanted, file);
    said = `${entry.id} ("${entry.name}") ${entry.revokedAt === undefined ? 'opens nothing any more' : `was revoked before, at ${entry.revokedAt}`}`;
    if (entry.revokedAt !== undefined) return null;
    const revoked = { ...entry, revokedAt: now.toISOString() };
    return { ...before, keys: before.keys.map((other) => (other === entry ? revoked : other)) };
  });
  process.stderr.write(`vcp: ${said}\n`);
};

/** Nobody is to lock themselves out: another key that may do everything must be there first. */
const switchDefaultOff = (before: ApiKeysFile, nowMs: number): ApiKeysFile => {
  const hasAdmin = before.keys.some(
    (entry) => entry.roles.includes('admin') && entry.tools === null && keyState(entry, nowMs) === 'active',
  );
  if (hasAdmin) return { ...before, defaultKey: false };
  throw new UsageError(
    'the default key is the only one that may do everything; make another first: vcp keys new --name NAME --role admin',
  );
};

const findKey = ({ keys }: ApiKeysFile, wanted: string, file: string): ApiKeyEntry => {
  const byId = keys.find(({ id }) => id === wanted);
  const byName = keys.filter(({ name }) => name === wanted);
  const alive = byName.filter(({ revokedAt }) => revokedAt === undefined);
  const found = byId ?? (alive.length > 0 ? alive : byName)[0];
  if (byId === undefined && alive.length > 1) {
    throw new UsageError(
      `${alive.length} keys have the name "${wanted}"; give the id: ${alive.map(({ id }) => id).join(', ')}`,
    );
  }
  if (found !== undefined) return found;
  const near = suggestName(
    wanted,
    keys.flatMap(({ id, name }) => [id, name]),
  );
  throw new UsageError(
    `${file} has no key "${wanted}"${near === null ? '; "vcp keys list" shows them' : `; did you mean ${near}?`}`,
  );
};
