import { schemaProperties } from '../../../../src/lib/schema-properties.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import type { CommandDescription, ToolDescription } from '../../../../src/protocol/tool-description.ts';
import { isSecret } from './is-secret.ts';
import { shellQuote } from '../shell-quote.ts';

/** The command line that makes this call, to be pasted into a shell. Secrets are left for stdin. */
export const callLine = (
  tool: Pick<ToolDescription, 'name' | 'commandField' | 'commands'>,
  command: Pick<CommandDescription, 'commandIdentifier' | 'inputSchema'>,
  args: JsonObject,
): string => {
  const properties = schemaProperties(command.inputSchema);
  const rest = Object.entries(args).filter(
    ([name, value]) => name !== tool.commandField || value !== command.commandIdentifier,
  );
  const words = [
    ...(tool.commands.length > 1 ? ['--command', command.commandIdentifier] : []),
    ...rest.flatMap(([name, value]) => ['--arg', written(name, value, properties[name])]),
  ];
  return ['vcp', 'call', tool.name, ...words].map(shellQuote).join(' ');
};

const written = (name: string, value: JsonValue, schema: JsonValue | undefined): string => {
  if (isSecret(schema)) return `${name}=-`;
  const readable = typeof value === 'string' && value !== '-' && !value.startsWith('@');
  return readable ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`;
};
