import process from 'node:process';
import type { VcpClient } from '../../../src/client/vcp-client.ts';
import type { CommandPorts, Port, ToolDescription } from '../../../src/protocol/tool-description.ts';
import { printJson } from './json-output.ts';
import { printable } from './terminal.ts';

/** The ports of every command of a tool, as JSON or one a line. */
export const printPorts = async (client: VcpClient, tool: ToolDescription, json: boolean): Promise<void> => {
  const commands: { command: string; ports: CommandPorts }[] = [];
  for (const { commandIdentifier: command } of tool.commands)
    commands.push({ command, ports: await client.getPorts(tool.name, command) });
  if (json)
    return printJson({ tool: tool.name, commands: commands.map(({ command, ports }) => ({ command, ...ports })) });
  for (const { command, ports } of commands) {
    process.stdout.write(`${printable(tool.name)} · ${printable(command)}\n`);
    for (const port of ports.inputs) process.stdout.write(`  in   ${line(port)}\n`);
    for (const port of ports.outputs) process.stdout.write(`  out  ${line(port)}\n`);
  }
};

const line = ({ pointer, within, type, format, required, resourceKind, more }: Port): string => {
  const place = printable([...within.map((list) => `${list || '/'} each`), pointer || '(whole)'].join(' '));
  const kind = [type, format, resourceKind].filter((word) => word !== null).join(' ');
  return `${place}  ${printable(kind)}${required ? '' : ', optional'}${more ? ', more inside' : ''}`;
};
