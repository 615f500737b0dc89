import type { Command } from 'commander';
import { createProgram } from '../../adapters/node/cli/create-program.ts';

const COLUMNS = 100;

/** The help of every command, as the program prints it. */
export const cliReference = (): string =>
  commandsOf(createProgram(), [])
    .map(({ name, command }) => `### \`${name}\`\n\n\`\`\`text\n${helpOf(command).trim()}\n\`\`\``)
    .join('\n\n');

type NamedCommand = { readonly name: string; readonly command: Command };

const commandsOf = (command: Command, parents: readonly string[]): NamedCommand[] => {
  const path = [...parents, command.name()];
  const children = command
    .createHelp()
    .visibleCommands(command)
    // `help` says what `--help` says.
    .filter((child) => child.name() !== 'help');
  return [{ name: path.join(' '), command }, ...children.flatMap((child) => commandsOf(child, path))];
};

const helpOf = (command: Command): string => {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => COLUMNS,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.replaceAll(/[ \t]+$/gm, '');
};
