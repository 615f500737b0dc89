import { Option, type Command } from 'commander';
import process from 'node:process';
import { isJsonObject } from '../../../src/lib/is-json-object.ts';
import { MissedPolicy, OverlapPolicy, ScheduleState } from '../../../src/protocol/schedule.ts';
import type { VcpClient } from '../../../src/client/vcp-client.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { completeCall } from './call/complete-call.ts';
import { uploadArguments } from './call/upload-arguments.ts';
import { jsonOf, readWrittenArguments } from './call/written-arguments.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';
import { listedSchedules, timesOf } from './listed-schedules.ts';
import { withServerOptions } from './server-options.ts';
import { columnsOf, painterOf, printable, table } from './terminal.ts';
import { wholeNumber } from './whole-number.ts';

export const registerSchedulesCommands = (program: Command): void => {
  const schedules = program.command('schedules').description('list, make or cancel calls that are made later');
  withServerOptions(
    schedules
      .command('list', { isDefault: true })
      .description('list them, newest first')
      .option('--tool <tool>', 'only calls of this tool')
      .addOption(new Option('--state <state>', 'only those in this state').choices(ScheduleState.options))
      .option('--limit <n>', 'most schedules to list, up to 100', '20')
      .option('--json', 'print a line of JSON for each, as in a pipe')
      .action(listSchedules),
  );
  withServerOptions(
    schedules
      .command('show')
      .description('show one, with its last runs')
      .argument('<schedule>', 'id of the schedule (sch_…)')
      .option('--limit <n>', 'most runs to show, up to 1000', '20')
      .option('--json', 'print JSON, as in a pipe')
      .action(showSchedule),
  );
  withServerOptions(
    schedules
      .command('add')
      .description('have a tool called later, and print the id of the schedule')
      .argument('<tool>', 'name of the tool')
      .option('--at <time>', 'when, once: RFC 3339, or from now as in 90s, 15m, 2h, 7d')
      .option(
        '--cron <expression>',
        'when, again and again: "minute hour day month weekday", or six fields from the second',
      )
      .option('--time-zone <zone>', 'IANA time zone of --cron (default: that of the server)')
      .option('--start-at <time>', 'no run of --cron is due before')
      .option('--end-at <time>', 'no run of --cron is due after')
      .option('--max-runs <n>', 'runs after which it ends')
      .addOption(new Option('--missed <policy>', 'times that pass while no server runs').choices(MissedPolicy.options))
      .addOption(new Option('--overlap <policy>', 'a run that is due while one goes on').choices(OverlapPolicy.options))
      .option('--timeout <ms>', 'milliseconds that each run may take')
      .option('--label <words>', 'what it is for')
      .option('--command <command>', 'command of the tool, where it has several')
      .option('--arg <name=value>', 'an argument, as vcp call takes it; may be repeated', collect)
      .option('--json <object>', 'the arguments as one JSON object')
      .addHelpText(
        'after',
        `
Examples:
  $ vcp schedules add TOOL --at 2h --arg text=hello
  $ vcp schedules add TOOL --cron '30 9 * * MON-FRI' --time-zone Europe/Berlin --label 'daily report'
  $ vcp schedules show $(vcp schedules add TOOL --at 10s)`,
      )
      .action(addSchedule),
  );
  withServerOptions(
    schedules
      .command('cancel')
      .description('end one; what it has run stays readable')
      .argument('<schedule>', 'id of the schedule (sch_…)')
      .action(async (id: string, options: ConnectOptions) => {
        await connect(options).cancelSchedule(id);
        process.stderr.write(`vcp: ${printable(id)} is cancelled\n`);
      }),
  );
};

type ListOptions = ConnectOptions & {
  readonly tool?: string;
  readonly state?: ScheduleState;
  readonly limit: string;
  readonly json?: boolean;
};

const listSchedules = async ({ tool, state, json, ...options }: ListOptions): Promise<void> => {
  const { schedules } = await connect(options).listSchedules({
    limit: wholeNumber('--limit', options.limit) ?? 20,
    ...(tool === undefined ? {} : { tool }),
    ...(state === undefined ? {} : { state }),
  });
  if (json === true || !process.stdout.isTTY) {
    for (const schedule of schedules) process.stdout.write(`${JSON.stringify(schedule)}\n`);
    return;
  }
  if (schedules.length === 0) {
    process.stderr.write('vcp: there are no such schedules\n');
    return;
  }
  process.stdout.write(
    listedSchedules(schedules, process.stdout.columns || columnsOf(process.stdout), painterOf(process.stdout)),
  );
};

type ShowOptions = ConnectOptions & { readonly limit: string; readonly json?: boolean };

const showSchedule = async (id: string, options: ShowOptions): Promise<void> => {
  const limit = wholeNumber('--limit', options.limit) ?? 20;
  const details = await connect(options).getSchedule(id, { limit });
  if (options.json === true || !process.stdout.isTTY) return printJson(details);
  const { schedule, runs } = details;
  const facts = [
    `${schedule.tool}${schedule.label === null ? '' : ` (${schedule.label})`}: ${schedule.state}, ${schedule.runCount} runs`,
    `${timesOf(schedule)}; next: ${schedule.nextRunAt ?? 'none'}`,
  ];
  process.stdout.write(`${facts.map(printable).join('\n')}\n`);
  const rows = runs.map((run) => [
    run.dueAt,
    run.times > 1 ? `${run.state} × ${run.times}` : run.state,
    run.errorCode ?? run.status ?? '-',
    printable(run.resultId ?? run.reason ?? '-'),
  ]);
  if (rows.length > 0) print(['DUE', 'STATE', 'STATUS', 'RESULT'], rows);
};

const print = (heading: readonly string[], rows: readonly string[][]): void =>
  void process.stdout.write(
    table([...heading], rows, process.stdout.columns || columnsOf(process.stdout), painterOf(process.stdout)),
  );

type AddOptions = ConnectOptions & {
  readonly at?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly startAt?: string;
  readonly endAt?: string;
  readonly maxRuns?: string;
  readonly missed?: MissedPolicy;
  readonly overlap?: OverlapPolicy;
  readonly timeout?: string;
  readonly label?: string;
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly json?: string;
};

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

const addSchedule = async (tool: string, options: AddOptions): Promise<void> => {
  if ((options.at === undefined) === (options.cron === undefined)) throw new UsageError('say when: --at or --cron');
  if (options.json !== undefined && options.arg !== undefined)
    throw new UsageError('give arguments by --arg or by --json, not both');
  const now = Date.now();
  const wished = {
    at: instantFrom('--at', options.at, now),
    cron: options.cron,
    timeZone: options.timeZone,
    startAt: instantFrom('--start-at', options.startAt, now),
    endAt: instantFrom('--end-at', options.endAt, now),
    maxRuns: wholeNumber('--max-runs', options.maxRuns),
    missed: options.missed,
    overlap: options.overlap,
    timeoutMs: wholeNumber('--timeout', options.timeout),
    label: options.label,
  };
  const client = connect(options);
  const args = options.arg === undefined ? jsonArguments(options) : await writtenArguments(client, tool, options);
  // What is undefined is not sent.
  const schedule = await client.createSchedule({ tool, arguments: args, ...wished });
  process.stdout.write(`${schedule.id}\n`);
  process.stderr.write(`vcp: the next run is due at ${schedule.nextRunAt}\n`);
};

const jsonArguments = ({ command, json }: AddOptions): JsonObject => {
  const given = json === undefined ? {} : jsonOf(json, '--json');
  if (!isJsonObject(given)) throw new UsageError('--json is a JSON object');
  return command === undefined ? given : { command, ...given };
};

/** As `vcp call` makes them: converted as the schema asks, files uploaded. */
const writtenArguments = async (
  client: VcpClient,
  name: string,
  { arg = [], command }: AddOptions,
): Promise<JsonObject> => {
  const written = await readWrittenArguments(arg);
  const completed = await completeCall(await client.getTool(name), { command, written, isAsked: false }, null);
  return await uploadArguments(client, completed.arguments, completed.uploads);
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A point in time, written as such or as how long from now. */
const instantFrom = (option: string, text: string | undefined, now: number): string | undefined => {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const instant = count === undefined ? Date.parse(text) : now + Number(count) * (UNITS[unit as string] as number);
  if (!Number.isFinite(instant) || Math.abs(instant) > 8.64e15)
    throw new UsageError(`${option} "${text}" is no time: write 2026-07-12T10:00:00Z, or 2h for in two hours`);
  return new Date(instant).toISOString();
};
