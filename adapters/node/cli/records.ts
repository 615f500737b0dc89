import { Option, type Command } from 'commander';
import process from 'node:process';
import type { RecordSummary } from '../../../src/client/record-listing.ts';
import type { VcpClient } from '../../../src/client/vcp-client.ts';
import { ToolStatus } from '../../../src/protocol/status.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';
import { columnsOf, painterOf, printable, table } from './terminal.ts';
import { wholeNumber } from './whole-number.ts';

type RecordsOptions = ConnectOptions & {
  readonly tool?: string;
  readonly status?: ToolStatus;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
  readonly json?: boolean;
};

/** Most records that the server gives on one page. */
const PAGE = 1_000;

export const registerRecordsCommand = (program: Command): void => {
  withServerOptions(
    program
      .command('records')
      .description('list the calls that were made, newest first, or show one')
      .argument('[record]', 'id of a record (tcr_…) to print whole')
      .option('--tool <tool>', 'only calls of this tool')
      .addOption(new Option('--status <status>', 'only calls that ended so').choices(ToolStatus.options))
      .option('--actor <name>', 'only calls on behalf of this actor')
      .option('--since <time>', 'only calls from then on: RFC 3339, or ago as in 90s, 15m, 2h, 7d')
      .option('--until <time>', 'only calls before then')
      .option('--limit <n>', 'most calls to list', '20')
      .option('--json', 'print a line of JSON for each, as in a pipe')
      .addHelpText(
        'after',
        `
Examples:
  $ vcp records --since 1h --status error
  $ vcp records --tool TOOL --limit 1000 | jq -s 'map(.durationMs) | add / length'`,
      )
      .action(recordsCommand),
  );
};

const recordsCommand = async (id: string | undefined, options: RecordsOptions): Promise<void> => {
  const now = Date.now();
  const limit = wholeNumber('--limit', options.limit) ?? 0;
  const since = instantOf('--since', options.since, now);
  const until = instantOf('--until', options.until, now);
  const client = connect(options);
  if (id !== undefined) return printJson(await client.getRecord(id));
  const { tool, status, actor } = options;
  const records = await listRecords(client, limit, {
    ...(tool === undefined ? {} : { tool }),
    ...(status === undefined ? {} : { status }),
    ...(actor === undefined ? {} : { actor }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  });
  if (options.json === true || !process.stdout.isTTY) {
    for (const record of records) process.stdout.write(`${JSON.stringify(record)}\n`);
    return;
  }
  if (records.length === 0) {
    process.stderr.write('vcp: there are no such calls\n');
    return;
  }
  const rows = records.map((record) => [
    localTime(record.startedAt, now),
    record.errorCode ?? record.status,
    `${Math.round(record.durationMs)} ms`,
    record.resultId,
    printable([record.toolName, record.command].filter((part) => part !== null).join(' · ')),
  ]);
  const heading = ['TIME', 'STATUS', 'TOOK', 'RESULT', 'CALL'];
  process.stdout.write(
    table(heading, rows, process.stdout.columns || columnsOf(process.stdout), painterOf(process.stdout)),
  );
};

type Query = Omit<NonNullable<Parameters<VcpClient['listRecords']>[0]>, 'limit' | 'cursor'>;

/** As many pages as it takes. */
const listRecords = async (client: VcpClient, limit: number, query: Query): Promise<RecordSummary[]> => {
  const records: RecordSummary[] = [];
  let cursor: string | null = null;
  while (records.length < limit) {
    const page = Math.min(PAGE, limit - records.length);
    const found = await client.listRecords({ ...query, limit: page, ...(cursor === null ? {} : { cursor }) });
    records.push(...found.records);
    cursor = found.nextCursor;
    if (cursor === null) break;
  }
  return records;
};

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A point in time, written as such or as how long ago it was; the server takes RFC 3339. */
export const instantOf = (option: string, text: string | undefined, now: number): string | undefined => {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const instant = count === undefined ? Date.parse(text) : now - Number(count) * (UNITS[unit as string] as number);
  if (!Number.isFinite(instant) || Math.abs(instant) > 8.64e15)
    throw new UsageError(`${option} "${text}" is no time: write 2026-07-12T10:00:00Z, or 2h for two hours ago`);
  return new Date(instant).toISOString();
};

/** As a clock on the wall here would have shown it; this year's times leave the year out, for there is little room. */
const localTime = (instant: string, now: number): string => {
  const date = new Date(instant);
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : `${date.getFullYear()}-`;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${year}${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};
