import { coerceArguments } from '../../../../src/instruction/coerce-arguments.ts';
import { schemaOfFields } from '../../../../src/instruction/select-command.ts';
import { isJsonObject } from '../../../../src/lib/is-json-object.ts';
import { schemaProperties } from '../../../../src/lib/schema-properties.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import type { CommandDescription, ToolDescription } from '../../../../src/protocol/tool-description.ts';
import { UsageError } from '../exit.ts';
import { requiredNames } from '../required-names.ts';
import { shellQuote } from '../shell-quote.ts';
import type { Form } from './form.ts';
import { takesCommand } from './takes-command.ts';
import { unknownArguments, unknownCommand } from './unknown-names.ts';
import { argumentsOf, fieldsOf, readFiles, withAnsweredFiles, type WrittenArgument } from './written-arguments.ts';

export type CompletedCall = {
  readonly arguments: JsonObject;
  readonly command: CommandDescription;
  /** Values among the arguments that stand for files, with the files. */
  readonly uploads: ReadonlyMap<JsonValue, string>;
  /** Whether a form has asked for some of it. */
  readonly isAsked: boolean;
};

/**
 * The arguments of a call: those that were written, converted as the schema asks, and those that a form asks for.
 * A name that the tool does not know is wrong usage, and so is, without a form, what is missing.
 */
export const completeCall = async (
  tool: ToolDescription,
  given: {
    readonly command: string | undefined;
    readonly written: readonly WrittenArgument[];
    /** Whether the form has asked for the tool already; then it goes on to what is optional. */
    readonly isAsked: boolean;
  },
  form: Form | null,
): Promise<CompletedCall> => {
  const { commandField } = tool;
  if (given.command !== undefined && !hasCommand(tool, given.command)) throw unknownCommand(tool, given.command);
  const named =
    given.command === undefined || !takesCommand(tool, given.command)
      ? given.written
      : [...given.written, { name: commandField, value: given.command }];
  const fields = fieldsOf(named);
  const name = coerceArguments(fields, schemaOfFields(tool, fields))[commandField];

  let command = commandOf(tool, name);
  let { isAsked } = given;
  if (command === null) {
    if (name !== undefined) throw unknownCommand(tool, name);
    if (form === null) throw new UsageError(missingCommand(tool));
    command = await form.chooseCommand(tool);
    isAsked = true;
  }
  const properties = schemaProperties(command.inputSchema);
  const { written, uploads } = readFiles(named, command.inputSchema);
  const filled: Record<string, JsonValue> = { ...argumentsOf(written, command.inputSchema) };
  // A tool with one command whose schema wants it named gets it named.
  if (missingNames(command, filled).includes(commandField) && isConst(properties[commandField]))
    filled[commandField] = command.commandIdentifier;
  const missing = missingNames(command, filled);
  const unknown = unknownArguments(tool, command, filled, missing);
  if (unknown !== null) throw unknown;
  if (missing.length === 0 && !isAsked) return { arguments: filled, command, uploads, isAsked };
  if (form === null) throw new UsageError(missingArguments(tool, command, missing));
  const answers = await form.fill(tool, command, filled, missing);
  const answered = withAnsweredFiles(answers, command.inputSchema);
  return { ...answered, command, uploads: new Map([...uploads, ...answered.uploads]), isAsked: true };
};

const commandOf = (tool: ToolDescription, name: JsonValue | undefined): CommandDescription | null => {
  const found = tool.commands.find(({ commandIdentifier }) => commandIdentifier === name);
  if (found !== undefined) return found;
  const [only, second] = tool.commands;
  if (only === undefined || second !== undefined) return null;
  // An argument of that name which selects nothing is the plugin's own.
  return name === undefined || !isConst(schemaProperties(only.inputSchema)[tool.commandField]) ? only : null;
};

const hasCommand = ({ commands }: ToolDescription, name: string): boolean =>
  commands.some(({ commandIdentifier }) => commandIdentifier === name);

/** The required arguments that neither the caller nor a default of the schema gives. */
const missingNames = (command: CommandDescription, args: JsonObject): string[] => {
  const properties = schemaProperties(command.inputSchema);
  return [...requiredNames(command.inputSchema)].filter(
    (name) => !Object.hasOwn(args, name) && !hasOwn(properties[name], 'default'),
  );
};

const missingCommand = (tool: ToolDescription): string => {
  const names = tool.commands.map(({ commandIdentifier }) => commandIdentifier).join(', ');
  return `${tool.name} has several commands; add --command with one of: ${names}`;
};

const missingArguments = (tool: ToolDescription, command: CommandDescription, missing: readonly string[]): string => {
  const options = missing.map((name) => `--arg ${shellQuote(name)}=…`).join(' ');
  const count = missing.length === 1 ? 'an argument' : 'arguments';
  return `${tool.name} ${command.commandIdentifier} needs ${count} that ${missing.length === 1 ? 'is' : 'are'} missing: add ${options} ("vcp call ${shellQuote(tool.name)} --help" says more)`;
};

const hasOwn = (schema: JsonValue | undefined, keyword: string): boolean =>
  isJsonObject(schema) && Object.hasOwn(schema, keyword);

const isConst = (schema: JsonValue | undefined): boolean => hasOwn(schema, 'const');
