import { isJsonObject } from '../../lib/is-json-object.ts';
import { isResourceSchema } from '../../lib/resource-places.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ToolDescription } from '../../protocol/tool-description.ts';
import { argumentsOf, wordOf, type ToolArgument } from './describe-arguments.ts';

type Command = ToolDescription['commands'][number];

/** Arguments that show a command's form: its own first example, or else what it requires with values of the right type. */
export const exampleArguments = (
  { commandIdentifier, examples, inputSchema }: Pick<Command, 'commandIdentifier' | 'examples' | 'inputSchema'>,
  commandField: string | null,
): JsonObject => {
  const [first] = examples;
  const args =
    first?.arguments ??
    Object.fromEntries(
      argumentsOf(inputSchema as JsonValue)
        .filter(({ required }) => required)
        .map((argument) => [argument.name, sampleOf(argument)]),
    );
  return commandField === null ? args : { [commandField]: commandIdentifier, ...args };
};

const sampleOf = (argument: ToolArgument): JsonValue => {
  const fixed = wordOf(argument, 'const') ?? wordOf(argument, 'default');
  if (fixed !== undefined) return fixed;
  for (const keyword of ['examples', 'enum']) {
    const listed = wordOf(argument, keyword);
    if (Array.isArray(listed) && listed[0] !== undefined) return listed[0] as JsonValue;
  }
  if (isJsonObject(argument.schema) && isResourceSchema(argument.schema)) return { $resource: 'res_…' };
  const [type] = argument.node.types;
  switch (type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '…';
  }
};
