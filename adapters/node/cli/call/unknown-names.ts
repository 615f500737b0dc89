import { isJsonObject } from '../../../../src/lib/is-json-object.ts';
import { schemaProperties } from '../../../../src/lib/schema-properties.ts';
import { suggestName } from '../../../../src/lib/suggest.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import type { CommandDescription, ToolDescription } from '../../../../src/protocol/tool-description.ts';
import { UsageError } from '../exit.ts';

/** A command that the tool does not have. */
export const unknownCommand = (tool: ToolDescription, given: JsonValue): UsageError => {
  const names = tool.commands.map(({ commandIdentifier }) => commandIdentifier);
  const shown = typeof given === 'string' ? given : JSON.stringify(given);
  return new UsageError(
    `${tool.name} has no command ${shown}; ${hintOf(typeof given === 'string' ? given : '', names) ?? `it has ${names.join(', ')}`}`,
  );
};

/**
 * The arguments that a command does not take, as a fault; null when there are none. A schema that takes others too has
 * none, unless what is missing looks like one of them: then it was mistyped.
 */
export const unknownArguments = (
  tool: ToolDescription,
  command: CommandDescription,
  args: JsonObject,
  missing: readonly string[],
): UsageError | null => {
  const known = Object.keys(schemaProperties(command.inputSchema));
  const free = known.filter((name) => !Object.hasOwn(args, name));
  const strange = Object.keys(args).filter((name) => !known.includes(name) && name !== tool.commandField);
  const wrong = isClosed(command.inputSchema)
    ? strange
    : strange.filter((name) => missing.includes(suggestName(name, free) ?? ''));
  if (wrong.length === 0) return null;
  const told = wrong.map((name) => {
    const hint = hintOf(name, free) ?? (known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`);
    return `${tool.name} ${command.commandIdentifier} has no argument ${name}; ${hint}`;
  });
  return new UsageError(told.join('\n  '));
};

const hintOf = (given: string, names: readonly string[]): string | null => {
  const near = suggestName(given, names);
  return near === null ? null : `did you mean ${near}?`;
};

/** Whether the schema itself says that it takes nothing beside its properties. */
const isClosed = (schema: JsonValue): boolean =>
  isJsonObject(schema) && schema['additionalProperties'] === false && !Object.hasOwn(schema, 'patternProperties');
