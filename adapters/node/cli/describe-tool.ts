import { schemaProperties } from '../../../src/lib/schema-properties.ts';
import { isJsonObject } from '../../../src/lib/is-json-object.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import type { CommandDescription, ToolDescription } from '../../../src/protocol/tool-description.ts';
import { callLine } from './call/call-line.ts';
import { describeType } from './describe-schema.ts';
import { requiredNames } from './required-names.ts';
import { padded, printable, wrapped, type Paint } from './terminal.ts';

/** How a text is laid out: columns to wrap to, and its colours. */
export type Layout = { readonly columns: number; readonly paint: Paint };

/** A tool as a person reads it: what it does, and each command with its arguments and examples. */
export const describeTool = (tool: ToolDescription, layout: Layout): string => {
  const { columns, paint } = layout;
  const title = `${paint('bold', printable(tool.name))} ${tool.version}, ${printable(tool.displayName)}`;
  return [
    title + (tool.enabled ? '' : paint('yellow', ' (switched off)')),
    wrapped(printable(tool.description), columns),
    ...tool.commands.map((command) => describeCommand(tool, command, layout)),
    '',
  ].join('\n');
};

const describeCommand = (tool: ToolDescription, command: CommandDescription, { columns, paint }: Layout): string => {
  const heading = (text: string) => `  ${paint('bold', text)}`;
  const rows = argumentRows(tool, command);
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const marks = [
    command.idempotent ? 'safe to repeat' : '',
    command.approval ? 'needs approval' : '',
    command.async ? 'goes on after its answer' : '',
  ].filter((mark) => mark !== '');
  return [
    '',
    paint(['bold', 'cyan'], printable(command.commandIdentifier)) +
      (marks.length > 0 ? paint('dim', ` (${marks.join(', ')})`) : ''),
    wrapped(printable(command.description), columns, 2),
    ...(rows.length > 0 ? ['', heading('Arguments:')] : []),
    ...rows.map(({ name, facts, description }) =>
      [
        `    ${paint('yellow', padded(printable(name), width))}  ${paint('dim', printable(facts))}`,
        ...(description === '' ? [] : [wrapped(printable(description), columns, 6 + width)]),
      ].join('\n'),
    ),
    ...(command.examples.length > 0 ? ['', heading(command.examples.length > 1 ? 'Examples:' : 'Example:')] : []),
    ...command.examples.flatMap((example) => [
      ...(example.description === undefined ? [] : [wrapped(printable(example.description), columns, 4)]),
      // Not wrapped: it is there to be copied.
      `    ${paint('green', printable(callLine(tool, command, example.arguments)))}`,
    ]),
    ...(command.errorCodes.length > 0
      ? ['', heading('Errors:'), wrapped(command.errorCodes.map(printable).join(', '), columns, 4)]
      : []),
  ].join('\n');
};

type ArgumentRow = { readonly name: string; readonly facts: string; readonly description: string };

/** The arguments of a command, the required ones first; the one that names the command is what `--command` is for. */
const argumentRows = (tool: ToolDescription, command: CommandDescription): ArgumentRow[] => {
  const required = requiredNames(command.inputSchema);
  return Object.entries(schemaProperties(command.inputSchema))
    .filter(([name, schema]) => name !== tool.commandField || !hasConst(schema))
    .toSorted(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .map(([name, schema]) => {
      const facts = isJsonObject(schema) ? schema : {};
      const preset = facts['default'];
      return {
        name,
        facts: [
          describeType(schema),
          required.has(name) && preset === undefined ? 'required' : '',
          preset === undefined ? '' : `default ${JSON.stringify(preset)}`,
        ]
          .filter((fact) => fact !== '')
          .join(', '),
        description: typeof facts['description'] === 'string' ? facts['description'] : '',
      };
    });
};

const hasConst = (schema: JsonValue): boolean => isJsonObject(schema) && Object.hasOwn(schema, 'const');
