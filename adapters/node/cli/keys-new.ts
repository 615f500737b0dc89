import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Limits } from '../../../src/lib/limits.ts';
import { DEFAULT_KEY_ID, KeyRole, type ApiKeyEntry, type ApiKeysFile } from '../../../src/protocol/api-keys.ts';
import { makeDirectory } from '../../fs/make-directory.ts';
import { KEY_FILE, makeApiKey } from '../api-key.ts';
import { changeKeysFile } from '../change-keys-file.ts';
import { UsageError } from './exit.ts';
import { readExpiry, readRate, readToolName, readToolRates } from './keys-options.ts';

export type NewKeyOptions = {
  readonly name: string;
  readonly role?: readonly string[];
  readonly tool?: readonly string[];
  readonly rate?: string;
  readonly toolRate?: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
};

/** `vcp keys new`: the key on stdout, where it is seen once; its hash and what it may do in the file. */
export const newKey = async (file: string, limits: Limits, options: NewKeyOptions): Promise<void> => {
  const key = makeApiKey();
  const asked = readEntry(key, options, Date.now());
  const directory = dirname(file);
  const isKnown = [file, join(directory, 'vcp.sqlite'), join(directory, KEY_FILE)].some((path) => existsSync(path));
  await makeDirectory(directory, 0o700);
  const { sha256: _, ...noted } = changeKeysFile(file, limits, (before) => {
    refuseTakenName(asked.name, before);
    const entry = { id: freshId(before), ...asked };
    return { file: { ...before, keys: [...before.keys, entry] }, outcome: entry };
  });
  process.stdout.write(options.json ? `${JSON.stringify({ key, ...noted }, null, 2)}\n` : `${key}\n`);
  process.stderr.write(
    `vcp: this key is ${noted.id} ("${noted.name}"), noted in ${file}; it is not shown again.${isKnown ? ' A running server knows it already.' : ''}\n`,
  );
  if (!isKnown) {
    process.stderr.write(
      `vcp: warning: no server has used ${directory} yet; the key opens one whose VCP_DATA_DIR that is (or whose VCP_API_KEYS_FILE is that file). For a server that runs elsewhere, make it in its directory\n`,
    );
  }
};

/** What the options ask for; raises UsageError for what cannot be. */
const readEntry = (key: string, options: NewKeyOptions, nowMs: number): Omit<ApiKeyEntry, 'id'> => {
  const name = options.name.trim();
  if (name === '' || name.length > 128) throw new UsageError('--name must have 1 to 128 characters');
  const tools = options.tool?.map((tool) => readToolName('--tool', tool)) ?? null;
  const toolRateLimits = readToolRates(options.toolRate ?? []);
  const unusable = Object.keys(toolRateLimits).find((tool) => tools !== null && !tools.includes(tool));
  if (unusable !== undefined) throw new UsageError(`--tool-rate limits ${unusable}, which no --tool lets the key use`);
  return {
    name,
    sha256: hash('sha256', key),
    roles: [...new Set((options.role ?? ['human']).map(readRole))],
    tools: tools === null ? null : [...new Set(tools)],
    rateLimit: options.rate === undefined ? null : readRate('--rate', options.rate),
    toolRateLimits,
    createdAt: new Date(nowMs).toISOString(),
    ...(options.expires === undefined ? {} : { expiresAt: readExpiry(options.expires, nowMs) }),
  };
};

const readRole = (text: string): KeyRole => {
  const role = KeyRole.safeParse(text);
  if (role.success) return role.data;
  throw new UsageError(`there is no role "${text}"; the roles are ${KeyRole.options.join(', ')}`);
};

/** Names are what people revoke by. */
const refuseTakenName = (name: string, { keys }: ApiKeysFile): void => {
  const holder = keys.find((entry) => entry.name === name && entry.revokedAt === undefined)?.id;
  const id = name === 'default' ? DEFAULT_KEY_ID : holder;
  if (id === undefined) return;
  throw new UsageError(
    `there is a key with the name "${name}" (${id}); take another name${id === DEFAULT_KEY_ID ? '' : ', or revoke that key first'}`,
  );
};

const freshId = ({ keys }: ApiKeysFile): string => {
  for (;;) {
    const id = `key_${randomBytes(8).toString('hex')}`;
    if (!keys.some((entry) => entry.id === id)) return id;
  }
};
