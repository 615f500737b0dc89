import { schemaProperties } from '../lib/schema-properties.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import { normaliseKey } from './normalise-key.ts';

/** What reading a written call needs to know of a tool: how it names its commands, and their input schemas. */
export type KnownTool = {
  readonly commandField: string;
  readonly commands: readonly Pick<InvocationCommand, 'commandIdentifier' | 'inputSchema'>[];
};

export type WrittenField = readonly [key: string, value: string];

/** The schema that written fields are held against: that of the command they name, or of the tool's only one. */
export const schemaOfFields = (
  tool: KnownTool | null,
  fields: readonly WrittenField[],
): InvocationCommand['inputSchema'] => {
  if (tool === null) return true;
  const field = normaliseKey(tool.commandField);
  const named = fields.findLast(([key]) => normaliseKey(key) === field)?.[1].trim();
  const command =
    tool.commands.find((candidate) => candidate.commandIdentifier === named) ??
    (tool.commands.length === 1 ? tool.commands[0] : undefined);
  if (command !== undefined) return command.inputSchema;
  // No such command: only the discriminator's own name matters, for the refusal that follows.
  return { properties: { [tool.commandField]: { type: 'string' } } };
};

/** The properties that a schema names, by their normalised spelling. */
export const propertyNames = (schema: InvocationCommand['inputSchema']): ReadonlySet<string> =>
  new Set(Object.keys(schemaProperties(schema)).map(normaliseKey));
