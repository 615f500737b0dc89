import { Command, CommanderError, Option } from 'commander';
import process from 'node:process';
import packageJson from '../../package.json' with { type: 'json' };
import { ResultView } from '../../src/protocol/invocation.ts';
import { callCommand } from './cli/call.ts';
import { configCommand } from './cli/config.ts';
import { EXIT, exitCodeOf, explain } from './cli/exit.ts';
import { addKeysCommands } from './cli/keys.ts';
import { resultsCommand } from './cli/results.ts';
import { schemaCommand } from './cli/schema.ts';
import { serveCommand } from './cli/serve.ts';
import { toolsCommand } from './cli/tools.ts';

const viewOption = () =>
  new Option('--view <view>', 'projection to print').choices(ResultView.options).default('canonical');

const onServer = (command: Command): Command =>
  command
    .option('--url <url>', 'address of the server (default: VCP_URL, then VCP_HOST and VCP_PORT)')
    .option('--key <key>', 'bearer key (default: VCP_API_KEY, then the api-key file of VCP_DATA_DIR)');

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

const program = new Command('vcp')
  .description('Runs tools for AI agents, people and workflows; one call, one canonical result.')
  .version(packageJson.version)
  .exitOverride()
  .showHelpAfterError('(add --help for the options)')
  .addHelpText(
    'after',
    '\nExit codes: 0 success, 1 the tool reported an error, 2 wrong usage, 3 the server could not be reached.',
  );

program.command('serve').description('start the server').action(serveCommand);

onServer(program.command('call').description('call a tool and print its result'))
  .argument('<tool>', 'name of the tool')
  .option('--command <name>', 'command of the tool')
  .option('--arg <name=value>', 'an argument, converted as the tool’s schema asks; may be repeated', collect)
  .option('--json <object>', 'all arguments as one JSON object, or "-" to read it from stdin')
  .option('--timeout <ms>', 'milliseconds that the call may take')
  .addOption(viewOption())
  .action(callCommand);

onServer(program.command('tools').description('list the tools, or show one'))
  .argument('[tool]', 'name of the tool to show')
  .option('--refused', 'also list the plugins that were refused, and why')
  .option('--json', 'print JSON')
  .action(toolsCommand);

onServer(program.command('results').description('print a stored result, or a part of it'))
  .argument('<id>', 'id of the result (tr_…)')
  .addOption(viewOption())
  .option('--pointer <pointer>', 'JSON Pointer to a part of the view')
  .option('--offset <n>', 'first item or character of the part')
  .option('--limit <n>', 'most items or characters of the part')
  .action(resultsCommand);

addKeysCommands(program);

program
  .command('config')
  .description('print the configuration in force, secrets masked')
  .option('--json', 'print JSON')
  .action(configCommand);

program
  .command('schema')
  .description('print a JSON Schema of the protocol, or list them')
  .argument('[name]', 'name of the schema')
  .action(schemaCommand);

// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.success : EXIT.toolError);
});

try {
  await program.parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version end with 0; commander has said what was wrong with everything else.
    process.exitCode = error.exitCode === 0 ? EXIT.success : EXIT.usage;
  } else {
    process.stderr.write(`vcp: ${explain(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
