import { Option, type Command } from 'commander';
import process from 'node:process';
import type { VcpEvent, VcpEventType } from '../../../src/protocol/event.ts';
import { EventType } from '../../../src/protocol/push.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { withServerOptions } from './server-options.ts';
import { describeEvent } from './describe-event.ts';
import { painterOf } from './terminal.ts';

type EventsOptions = ConnectOptions & {
  readonly type?: readonly VcpEventType[];
  readonly tool?: readonly string[];
  readonly task?: readonly string[];
  readonly invocation?: readonly string[];
  readonly clientType?: string;
  readonly after?: string;
  readonly json?: boolean;
};

export const registerEventsCommand = (program: Command): void => {
  withServerOptions(
    program
      .command('events')
      .description('show what happens on the server, as it happens, until Ctrl-C')
      .addOption(new Option('--type <type...>', 'only events of these types').choices(EventType.options))
      .option('--tool <tool...>', 'only events about these tools')
      .option('--task <id...>', 'only events of these tasks')
      .option('--invocation <id...>', 'only events of these calls')
      .option('--client-type <type>', 'also what is meant for clients of this type')
      .option('--after <event>', 'begin after this event (evt_…), as far as the server keeps them')
      .option('--json', 'print a line of JSON for each, as in a pipe')
      .addHelpText(
        'after',
        `
Examples:
  $ vcp events --type result task
  $ vcp events --type vcp_log | jq -r '.data.message'`,
      )
      .action(eventsCommand),
  );
};

const eventsCommand = async (options: EventsOptions): Promise<void> => {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // A reader such as `head` that has gone wants no more.
  process.stdout.once('error', () => stop.abort());
  const { type, tool, task, invocation, clientType, after } = options;
  const paint = painterOf(process.stdout);
  const lineOf = (event: VcpEvent): string =>
    options.json === true || !process.stdout.isTTY ? JSON.stringify(event) : describeEvent(event, paint);
  try {
    const events = connect(options).events({
      ...(type === undefined ? {} : { types: type }),
      ...(tool === undefined ? {} : { tools: tool }),
      ...(task === undefined ? {} : { tasks: task }),
      ...(invocation === undefined ? {} : { invocations: invocation }),
      ...(clientType === undefined ? {} : { clientType }),
      ...(after === undefined ? {} : { lastEventId: after }),
      signal: stop.signal,
      onGap: () => process.stderr.write('vcp: some events are missing: the server does not keep them any more\n'),
    });
    for await (const event of events) process.stdout.write(`${lineOf(event)}\n`);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
};
