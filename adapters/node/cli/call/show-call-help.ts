import process from 'node:process';
import type { Command } from 'commander';
import { connect, type ConnectOptions } from '../connect.ts';
import { describeTool } from '../describe-tool.ts';
import { EXIT, exitCodeOf, explain } from '../exit.ts';
import { columnsOf, painterOf } from '../terminal.ts';

/** Milliseconds that help waits for the server that knows the tool. */
const HELP_PATIENCE_MS = 3_000;

/** `vcp call [tool] --help`: how to call, and of a tool what it takes. Help is given even when no server answers. */
export const showCallHelp = async (
  command: Command,
  tool: string | undefined,
  options: ConnectOptions,
): Promise<void> => {
  if (tool === undefined) return command.outputHelp();
  try {
    const description = await connect(options).getTool(tool, { signal: AbortSignal.timeout(HELP_PATIENCE_MS) });
    const layout = { columns: columnsOf(process.stdout), paint: painterOf(process.stdout) };
    process.stdout.write(describeTool(description, layout));
    process.stdout.write('\n"vcp call --help" has the options of the call itself.\n');
  } catch (error) {
    // Help is help, even without a server; a name that the server does not know is wrong all the same.
    if (exitCodeOf(error) === EXIT.usage) throw error;
    command.outputHelp();
    process.stderr.write(`\nvcp: what ${tool} takes is not known here: ${explain(error)}\n`);
  }
};
