import { statSync } from 'node:fs';
import process from 'node:process';
import type { Command } from 'commander';
import type { Limits } from '../../../src/lib/limits.ts';
import { KeyRole } from '../../../src/protocol/api-keys.ts';
import { readKeysFile } from '../change-keys-file.ts';
import { KeysFileFault, keysFileOf, openToOthers } from '../keys-file.ts';
import { readConfiguration } from '../read-configuration.ts';
import { UsageError } from './exit.ts';
import { newKey, type NewKeyOptions } from './keys-new.ts';
import { revokeKey } from './keys-revoke.ts';
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
    .action((options: NewKeyOptions) => onFile((file, limits) => newKey(file, limits, options)));

  keys
    .command('list')
    .description('list the keys of the file')
    .option('--json', 'print JSON')
    .action((options: { readonly json?: boolean }) =>
      onFile((file, limits) => listKeys(file, limits, options.json ?? false)),
    );

  keys
    .command('revoke')
    .description('end a key; "default" switches the server’s own key off')
    .argument('<key>', 'id or name of the key')
    .action((key: string) => onFile((file, limits) => revokeKey(file, limits, key)));
};

/** Runs a command on the keys file of the configuration; what the file system refuses is told in a sentence. */
const onFile = async (command: (file: string, limits: Limits) => void | Promise<void>): Promise<void> => {
  const loaded = readConfiguration(process.env);
  if (!loaded.ok) {
    const faults = loaded.errors.map(({ name, message }) => `${name} ${message}`).join('; ');
    throw new UsageError(`the configuration is not valid: ${faults}`);
  }
  const file = keysFileOf(loaded.configuration);
  try {
    await command(file, loaded.limits);
  } catch (error) {
    if (error instanceof KeysFileFault) throw new UsageError(error.message);
    const { code, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number };
    if (errcode === SQLITE_BUSY) throw new UsageError(`others are changing ${file}; nothing was changed, try again`);
    if (code === undefined) throw error;
    throw new UsageError(`${file} cannot be used (${message}); VCP_API_KEYS_FILE or VCP_DATA_DIR say where it is`);
  }
};

const SQLITE_BUSY = 5;

const listKeys = (file: string, limits: Limits, asJson: boolean): void => {
  const { defaultKey, keys } = readKeysFile(file, limits);
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
