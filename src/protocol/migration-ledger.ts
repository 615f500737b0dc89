import { z } from 'zod';
import { CommandName, ToolName } from './names.ts';
import { PluginType, TransportProtocol } from './manifest.ts';

/** §16.3: what has been proved of one command. Each field is true only on test evidence. */
export const CommandMigration = z.strictObject({
  name: CommandName,
  codeMigrated: z.boolean(),
  manifestMigrated: z.boolean(),
  inputSchema: z.boolean(),
  outputSchema: z.boolean(),
  contractTests: z.boolean(),
  aiSnapshot: z.boolean(),
  humanSnapshot: z.boolean(),
});

export const MigrationLedger = z
  .array(
    z.strictObject({
      plugin: ToolName,
      enabled: z.boolean(),
      type: PluginType,
      protocol: TransportProtocol,
      commands: z.array(CommandMigration),
    }),
  )
  .meta({ id: 'migration-ledger', title: 'MigrationLedger', description: 'The migration ledger (§16.3).' });
export type MigrationLedger = z.infer<typeof MigrationLedger>;
