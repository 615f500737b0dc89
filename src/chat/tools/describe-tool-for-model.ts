import { excerpt } from '../../lib/excerpt.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ToolDescription } from '../../protocol/tool-description.ts';
import { argumentsOf, describeArgument, wordOf } from './describe-arguments.ts';
import { exampleArguments } from './example-arguments.ts';
import type { ModelWords } from './model-words.ts';

/** Writes a call in the form that models write calls in. */
export type ToolRequestWriter = (request: { readonly toolName: string; readonly arguments: JsonObject }) => string;

/** Characters of what a manifest says of a tool or a command. */
const LONGEST_DESCRIPTION = 2_000;

/** What a model has to know of a tool to call it, and no more: what it does, its arguments, an example of each command. */
export const describeToolForModel = (
  { name, description, commandField, commands }: ToolDescription,
  words: ModelWords,
  writeToolRequest: ToolRequestWriter,
): string => {
  const several = commands.length > 1;
  const parts = commands.map((command) => {
    const args = argumentsOf(command.inputSchema as JsonValue).filter(
      (argument) => !(argument.name === commandField && wordOf(argument, 'const') !== undefined),
    );
    const said = excerpt(command.description.trim(), LONGEST_DESCRIPTION);
    const isNamed = several || args.length < argumentsOf(command.inputSchema as JsonValue).length;
    const request = { toolName: name, arguments: exampleArguments(command, isNamed ? commandField : null) };
    return [
      several ? `${words.command} ${command.commandIdentifier}: ${said}` : said === description.trim() ? '' : said,
      command.approval ? words.needsApproval : '',
      command.async ? words.runsLong : '',
      args.length === 0 ? words.noArguments : words.argumentsTitle,
      ...args.map((argument) => describeArgument(argument, words)),
      words.example,
      writeToolRequest(request),
    ];
  });
  const lines = [`### ${name}`, excerpt(description.trim(), LONGEST_DESCRIPTION), ...parts.flat()];
  return lines.filter((line) => line !== '').join('\n');
};
