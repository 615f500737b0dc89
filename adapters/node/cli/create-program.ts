import { Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { registerApprovalsCommand } from './approvals.ts';
import { registerCallCommand } from './call.ts';
import { registerCompletionCommands } from './completion.ts';
import { registerConfigCommand } from './config.ts';
import { registerDoctorCommand } from './doctor.ts';
import { registerEventsCommand } from './events.ts';
import { registerEdgeCommands } from './edge.ts';
import { configureHelp } from './help.ts';
import { addKeysCommands } from './keys.ts';
import { registerPluginCommands } from './plugin.ts';
import { registerPluginsCommands } from './plugins.ts';
import { registerRecordsCommand } from './records.ts';
import { registerResourcesCommand } from './resources.ts';
import { registerResultsCommand } from './results.ts';
import { registerSchedulesCommands } from './schedules.ts';
import { registerSchemaCommand } from './schema.ts';
import { registerServeCommand } from './register-serve.ts';
import { registerTasksCommand } from './tasks.ts';
import { registerToolsCommand } from './tools.ts';
import { registerVersionCommand } from './version.ts';

/** In the order in which help lists them. What a command needs is imported when it runs, so that the others start fast. */
const REGISTRATIONS: readonly ((program: Command) => void)[] = [
  registerServeCommand,
  registerCallCommand,
  registerToolsCommand,
  registerPluginsCommands,
  registerPluginCommands,
  registerEdgeCommands,
  registerResultsCommand,
  registerRecordsCommand,
  registerTasksCommand,
  registerEventsCommand,
  registerApprovalsCommand,
  registerResourcesCommand,
  registerSchedulesCommands,
  addKeysCommands,
  registerDoctorCommand,
  registerConfigCommand,
  registerSchemaCommand,
  registerVersionCommand,
  registerCompletionCommands,
];

/** The whole command line, nothing of it run yet. */
export const createProgram = (): Command => {
  const program = configureHelp(new Command('vcp'))
    .description('Runs tools for AI agents, people and workflows; one call, one canonical result.')
    .version(packageJson.version, '-V, --version', 'print the version of this program')
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', HELP);
  for (const register of REGISTRATIONS) register(program);
  return program;
};

const HELP = `
Examples:
  $ vcp serve                        start the server here
  $ vcp tools                        what can be called
  $ vcp call TOOL --arg name=value   call a tool
  $ vcp call                         on a terminal: be asked for tool and arguments
  $ vcp doctor                       find out what is wrong

Exit codes: 0 success, 1 the tool reported an error, 2 wrong usage, 3 the server could not be reached,
130 interrupted by Ctrl-C. Data goes to stdout, talk to stderr.`;
