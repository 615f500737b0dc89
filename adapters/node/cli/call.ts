import { Option, type Command } from 'commander';
import { ResultView } from '../../../src/protocol/invocation.ts';
import type { RunCallOptions } from './call/run-call.ts';
import { withServerOptions } from './server-options.ts';

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

export const registerCallCommand = (program: Command): void => {
  const command: Command = withServerOptions(
    program
      .command('call')
      .description('call a tool and print its result')
      .argument('[tool]', 'name of the tool; on a terminal you are asked when it is left out')
      .option('--command <command>', 'command of the tool, where it has several')
      .option('--arg <name=value>', 'an argument, converted as the tool’s schema asks; may be repeated', collect)
      .option('--json <object>', 'all arguments as one JSON object, or "-" to read it from stdin')
      .addOption(
        new Option(
          '--view <view>',
          'projection to print (default: canonical; on a terminal a short form of it)',
        ).choices(ResultView.options),
      )
      .option('--save <directory>', 'download the resources of the result into this directory')
      .option('--timeout <ms>', 'milliseconds that the call may take')
      .option('--idempotency-key <key>', 'makes the call once, however often it is repeated with this key')
      .option('--detach', 'do not wait: print the task as which the call goes on')
      .option('--wait', 'where the call goes on as a task, wait for the result that ends it')
      .option('--progress', 'print a line on stderr for each report of progress')
      .option('--no-input', 'never ask for what is missing')
      // Its own help option: that of commander knows nothing of the tool.
      .helpOption(false)
      .option('-h, --help', 'display help; after a tool, also its commands and arguments')
      .addHelpText('after', HELP)
      .action(async (tool: string | undefined, options: RunCallOptions & { readonly help?: boolean }) => {
        if (options.help === true) {
          const { showCallHelp } = await import('./call/show-call-help.ts');
          return await showCallHelp(command, tool, options);
        }
        const { runCall } = await import('./call/run-call.ts');
        await runCall(tool, options);
      }),
  );
};

const HELP = `
Values of --arg:
  name=value     text, or what the schema makes of it: a number, true or false, JSON
  name:=value    JSON, whatever the schema says
  name=@file     the text of a file, or the file itself where the tool takes a resource;
                 name=@@value is a text that begins with @
  name=-         the text of stdin

Examples:
  $ vcp call TOOL --help                         its commands and arguments
  $ vcp call TOOL --arg text='two words' --arg count=3
  $ vcp call TOOL --command COMMAND --arg text=@notes.txt --save files
  $ vcp call TOOL --json '{"count":3}' | jq .data
  $ vcp call TOOL --arg count=3 --wait --save files
                                                 follow long work to its end, and keep its files
  $ vcp call TOOL --wait | jq 'select(.event == "result").data'
                                                 piped, --wait prints a line of JSON for each event:
                                                 accepted, task (what has changed), result (the last)
  $ vcp call                                     on a terminal: be asked for everything`;
