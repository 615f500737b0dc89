import process from 'node:process';
import type { ToolDescription } from '../../../src/protocol/tool-description.ts';
import { connect, type ConnectOptions } from './connect.ts';

/** `vcp tools [tool]`: one line a command, or everything about one tool. */
export const toolsCommand = async (
  tool: string | undefined,
  options: ConnectOptions & { readonly refused?: boolean; readonly json?: boolean },
): Promise<void> => {
  const client = connect(options);
  if (tool !== undefined) {
    const description = await client.getTool(tool);
    process.stdout.write(options.json ? `${JSON.stringify(description, null, 2)}\n` : describe(description));
    return;
  }
  const { tools, refused = [] } = await client.listTools({ refused: options.refused ?? false });
  if (options.json) {
    process.stdout.write(`${JSON.stringify(options.refused ? { tools, refused } : { tools }, null, 2)}\n`);
    return;
  }
  for (const description of tools) process.stdout.write(summarise(description));
  for (const plugin of refused)
    process.stdout.write(`refused: ${plugin.name ?? '(no name)'} in ${plugin.location}\n  ${plugin.reason}\n`);
};

const summarise = ({ name, version, enabled, commands }: ToolDescription): string =>
  [
    `${name} ${version}${enabled ? '' : ' (disabled)'}`,
    ...commands.map(({ commandIdentifier, description }) => `  ${commandIdentifier}: ${firstSentence(description)}`),
    '',
  ].join('\n');

const describe = (tool: ToolDescription): string =>
  [
    `${tool.name} ${tool.version} — ${tool.displayName}`,
    tool.description,
    '',
    ...tool.commands.flatMap((command) => [
      `## ${command.commandIdentifier}`,
      command.description,
      `input:  ${JSON.stringify(command.inputSchema)}`,
      `output: ${JSON.stringify(command.outputSchema)}`,
      ...command.examples.map((example) => `example: ${JSON.stringify(example.arguments)}`),
      '',
    ]),
  ].join('\n');

const firstSentence = (text: string): string =>
  (/^[\s\S]*?[.。](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ').slice(0, 160);
