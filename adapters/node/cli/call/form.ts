import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import type { CommandDescription, ToolDescription } from '../../../../src/protocol/tool-description.ts';
import { schemaProperties } from '../../../../src/lib/schema-properties.ts';
import { describeType } from '../describe-schema.ts';
import { printable } from '../terminal.ts';
import { askForValue } from './ask-for-value.ts';
import type { Prompts } from './prompts.ts';

/** Asks for what a call lacks. */
export type Form = {
  chooseTool(tools: readonly ToolDescription[]): Promise<ToolDescription>;
  chooseCommand(tool: ToolDescription): Promise<CommandDescription>;
  /** Asks for the missing arguments, and for those of the optional ones that the user picks. */
  fill(
    tool: ToolDescription,
    command: CommandDescription,
    given: JsonObject,
    missing: readonly string[],
  ): Promise<JsonObject>;
};

export const createForm = (prompts: Prompts): Form => ({
  chooseTool: (tools) =>
    prompts.choose(
      'Which tool?',
      tools.map((tool) => ({ value: tool, label: printable(tool.name), hint: printable(tool.displayName) })),
    ),

  chooseCommand: async (tool) => {
    const [only, second] = tool.commands;
    if (only !== undefined && second === undefined) return only;
    return await prompts.choose(
      `Which command of ${printable(tool.name)}?`,
      tool.commands.map((command) => ({
        value: command,
        label: printable(command.commandIdentifier),
        hint: printable(shortened(command.description)),
      })),
    );
  },

  fill: async (tool, command, given, missing) => {
    const properties = schemaProperties(command.inputSchema);
    const args: Record<string, JsonValue> = { ...given };
    for (const name of inSchemaOrder(missing, Object.keys(properties)))
      args[name] = await askForValue(prompts, name, properties[name], command.inputSchema);
    const optional = Object.keys(properties).filter((name) => !Object.hasOwn(args, name) && name !== tool.commandField);
    if (optional.length === 0) return args;
    const wanted = await prompts.chooseSome(
      'Any optional arguments?',
      optional.map((name) => ({
        value: name,
        label: printable(name),
        hint: printable(describeType(properties[name])),
      })),
    );
    for (const name of inSchemaOrder(wanted, optional))
      args[name] = await askForValue(prompts, name, properties[name], command.inputSchema);
    return args;
  },
});

/** The order in which the schema's author put them; required names without a property come last. */
const inSchemaOrder = (names: readonly string[], order: readonly string[]): string[] => {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return names.toSorted((a, b) => rank(a) - rank(b));
};

const HINT_CHARACTERS = 70;
const shortened = (text: string): string =>
  text.length > HINT_CHARACTERS ? `${text.slice(0, HINT_CHARACTERS - 1)}…` : text;
