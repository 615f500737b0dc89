import type { Command } from 'commander';
import { KeyRole } from '../../../src/protocol/api-keys.ts';
import type { NewKeyOptions } from './keys-new.ts';

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
    .action(async (options: NewKeyOptions) => {
      const [{ onKeysFile }, { newKey }] = await Promise.all([import('./on-keys-file.ts'), import('./keys-new.ts')]);
      await onKeysFile((file, limits) => newKey(file, limits, options));
    });

  keys
    .command('list')
    .description('list the keys of the file')
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const [{ onKeysFile }, { listKeys }] = await Promise.all([import('./on-keys-file.ts'), import('./keys-list.ts')]);
      await onKeysFile((file, limits) => listKeys(file, limits, options.json ?? false));
    });

  keys
    .command('revoke')
    .description('end a key; "default" switches the server’s own key off')
    .argument('<key>', 'id or name of the key')
    .action(async (key: string) => {
      const [{ onKeysFile }, { revokeKey }] = await Promise.all([
        import('./on-keys-file.ts'),
        import('./keys-revoke.ts'),
      ]);
      await onKeysFile((file, limits) => revokeKey(file, limits, key));
    });
};
