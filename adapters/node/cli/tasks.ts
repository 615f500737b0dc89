import { Option, type Command } from 'commander';
import process from 'node:process';
import { ResultView } from '../../../src/protocol/invocation.ts';
import { TaskState } from '../../../src/protocol/task.ts';
import type { TaskDescription } from '../../../src/protocol/task-listing.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';
import { columnsOf, painterOf, printable, table } from './terminal.ts';
import { wholeNumber } from './whole-number.ts';

type ListOptions = ConnectOptions & {
  readonly tool?: string;
  readonly state?: TaskState;
  readonly limit: string;
  readonly json?: boolean;
};
type WatchOptions = ConnectOptions & {
  readonly view?: ResultView;
  readonly save?: string;
  readonly progress?: boolean;
  readonly json?: boolean;
};
type CancelOptions = ConnectOptions & { readonly reason?: string };

export const registerTasksCommand = (program: Command): void => {
  const tasks = program
    .command('tasks')
    .description('work that goes on after its call was answered: list it, watch it, cancel it')
    .addHelpText(
      'after',
      `
Examples:
  $ vcp tasks list --state running
  $ vcp tasks watch TASK --save files             wait for its result, and keep its files
  $ vcp tasks watch TASK | jq .event              piped: a line of JSON for each event, the result last
  $ vcp tasks cancel TASK --reason 'not needed'`,
    );
  withServerOptions(
    tasks
      .command('list', { isDefault: true })
      .description('list tasks, newest first')
      .option('--tool <tool>', 'only tasks of this tool')
      .addOption(new Option('--state <state>', 'only tasks in this state').choices(TaskState.options))
      .option('--limit <n>', 'most tasks to list, up to 1000', '20')
      .option('--json', 'print a line of JSON for each, as in a pipe')
      .action(listTasks),
  );
  withServerOptions(
    tasks
      .command('show')
      .description('print a task as JSON')
      .argument('<task>', 'id of the task (task_…)')
      .action(async (id: string, options: ConnectOptions) => printJson(await connect(options).getTask(id))),
  );
  withServerOptions(
    tasks
      .command('watch')
      .description('follow a task to its end and print its result; the exit code tells whether it succeeded')
      .argument('<task>', 'id of the task (task_…)')
      .addOption(new Option('--view <view>', 'projection of the result to print').choices(ResultView.options))
      .option('--save <directory>', 'download the resources of the result into this directory')
      .option('--progress', 'print a line on stderr for each report of progress')
      .option('--json', 'print a line of JSON for each event, as in a pipe')
      .action(watchTask),
  );
  withServerOptions(
    tasks
      .command('cancel')
      .description('cancel a task, and what works on it')
      .argument('<task>', 'id of the task (task_…)')
      .option('--reason <text>', 'why; it stands in the result')
      .action(cancelTask),
  );
};

const listTasks = async ({ tool, state, limit, json, ...options }: ListOptions): Promise<void> => {
  const { tasks } = await connect(options).listTasks({
    limit: wholeNumber('--limit', limit) ?? 0,
    ...(tool === undefined ? {} : { tool }),
    ...(state === undefined ? {} : { state }),
  });
  if (json === true || !process.stdout.isTTY) {
    for (const task of tasks) process.stdout.write(`${JSON.stringify(task)}\n`);
    return;
  }
  if (tasks.length === 0) {
    process.stderr.write('vcp: there are no such tasks\n');
    return;
  }
  const rows = tasks.map((task) => [
    task.id,
    task.state,
    task.progress === null ? '' : `${Math.round(task.progress * 100)}%`,
    new Date(task.updatedAt).toLocaleString(),
    printable([callOf(task), ...saidLast(task)].join(': ')),
  ]);
  const heading = ['TASK', 'STATE', 'DONE', 'CHANGED', 'CALL'];
  process.stdout.write(
    table(heading, rows, process.stdout.columns || columnsOf(process.stdout), painterOf(process.stdout)),
  );
};

const watchTask = async (id: string, { view, save, progress = false, json, ...options }: WatchOptions) => {
  const [{ followTask }, { showEnd }, { createEventLines }] = await Promise.all([
    import('./call/follow-task.ts'),
    import('./call/show-end.ts'),
    import('./call/event-lines.ts'),
  ]);
  const client = connect(options);
  // Asked once without patience: a wrong id, key or address is told at once.
  const { tool } = await client.getTask(id);
  const lines = createEventLines(json);
  const followed = await followTask(client, { taskId: id, title: tool, lines, isLog: progress, cancelsTask: false });
  await showEnd(client, followed, lines, { view, save });
};

const cancelTask = async (id: string, { reason, ...options }: CancelOptions): Promise<void> => {
  if (reason !== undefined && reason.length > 500) throw new UsageError('--reason has 500 characters at most');
  const task = await connect(options).cancelTask(id, reason === undefined ? {} : { reason });
  process.stderr.write(`vcp: ${task.state}: ${printable(callOf(task))} (${task.id})\n`);
};

/** What a task said of its progress is stale once it has ended. */
const saidLast = ({ message, resultId }: TaskDescription): string[] =>
  message === null || resultId !== null ? [] : [message];

const callOf = ({ tool, command }: TaskDescription): string => (command === null ? tool : `${tool} · ${command}`);
