import type { Command } from 'commander';
import process from 'node:process';
import type { ToolDescription } from '../../../src/protocol/tool-description.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { describePermissions } from '../../../src/lib/describe-permissions.ts';
import { printPorts } from './print-ports.ts';
import { describeTool } from './describe-tool.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';
import { columnsOf, cutTo, painterOf, printable, type Paint } from './terminal.ts';

type ToolsOptions = ConnectOptions & {
  readonly refused?: boolean;
  readonly permissions?: boolean;
  readonly ports?: boolean;
  readonly json?: boolean;
};

export const registerToolsCommand = (program: Command): void => {
  withServerOptions(
    program
      .command('tools')
      .description('list the tools, or show one with its arguments')
      .argument('[tool]', 'name of the tool to show')
      .option('--permissions', 'show what each tool may do on this server, not its commands')
      .option('--refused', 'also list the plugins that were refused, and why')
      .option('--ports', 'show the inputs and outputs that a workflow connects, of each command of the tool')
      .option('--json', 'print JSON, with the schemas')
      .action(toolsCommand),
  );
};

/** `vcp tools [tool]`: one line a command, or everything about one tool. */
const toolsCommand = async (tool: string | undefined, options: ToolsOptions): Promise<void> => {
  const client = connect(options);
  const paint = painterOf(process.stdout);
  const columns = columnsOf(process.stdout);
  if (tool !== undefined) {
    const description = await client.getTool(tool);
    if (options.ports) return await printPorts(client, description, options.json ?? false);
    if (options.json) printJson(options.permissions ? permissionsOf(description) : description);
    else if (options.permissions) process.stdout.write(tellPermissions(description, columns, paint));
    else process.stdout.write(describeTool(description, { columns, paint }));
    return;
  }
  const { tools, refused: told } = await client.listTools({ refused: options.refused ?? false });
  const refused = told ?? [];
  if (options.refused && told === undefined)
    process.stderr.write('vcp: this key may not see refused plugins; that takes the role operator or admin\n');
  const listed = options.permissions ? tools.map(permissionsOf) : tools;
  if (options.json) return printJson(options.refused ? { tools: listed, refused } : { tools: listed });
  const width = process.stdout.isTTY ? columns : Infinity;
  const tell = options.permissions ? tellPermissions : summarise;
  for (const description of tools) process.stdout.write(tell(description, width, paint));
  for (const plugin of refused) {
    const name = printable(plugin.name ?? '(no name)');
    process.stdout.write(`${paint('red', 'refused:')} ${name} in ${plugin.location}\n  ${printable(plugin.reason)}\n`);
    if (plugin.serving !== undefined) process.stdout.write(`  version ${plugin.serving} goes on in its place\n`);
  }
  if (tools.length === 0) process.stderr.write('vcp: this server has no tools for this key; see vcp tools --refused\n');
};

const summarise = (tool: ToolDescription, columns: number, paint: Paint): string =>
  [
    headingOf(tool, paint),
    ...tool.commands.map(({ commandIdentifier, description }) => {
      const line = cutTo(`  ${printable(commandIdentifier)}: ${printable(firstSentence(description))}`, columns);
      const colon = line.indexOf(':');
      return paint('cyan', line.slice(0, colon)) + line.slice(colon);
    }),
    '',
  ].join('\n');

const headingOf = (tool: ToolDescription, paint: Paint): string =>
  `${paint('bold', printable(tool.name))} ${tool.version}${tool.enabled ? '' : paint('yellow', ' (switched off)')}`;

const permissionsOf = ({ name, version, permissions }: ToolDescription) => ({
  name,
  version,
  isSandboxed: permissions !== null,
  permissions,
});

/** No line is cut: what is not shown would look as if it were not granted. */
const tellPermissions = (tool: ToolDescription, _columns: number, paint: Paint): string => {
  const { permissions } = tool;
  const lines =
    permissions === null
      ? [paint('yellow', 'not in the sandbox: it may do all that the user of the server may')]
      : describePermissions(permissions).map(printable);
  const shown = lines.length > 0 ? lines : [paint('dim', 'nothing but compute its result')];
  return [headingOf(tool, paint), ...shown.map((line) => `  ${line}`), ''].join('\n');
};

const firstSentence = (text: string): string =>
  (/^[\s\S]*?[.。](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
