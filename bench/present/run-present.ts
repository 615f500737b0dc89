// What an AI view costs when the data grows and the budget does not: `npm run bench -- present [--rounds 30] [--write]`.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { deepFreeze } from '../../src/lib/deep-freeze.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { ResultView } from '../../src/protocol/invocation.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { project } from '../../src/runtime/project.ts';
import { canonicalResult } from '../../test/support/sample-values.ts';
import { writeTable } from '../http-call/write-table.ts';
import { describeMachine } from '../lib/describe-machine.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { quantile } from '../lib/quantile.ts';

const COUNTS = [100, 1_000, 10_000, 100_000];
const BUDGET = 30_000;

export async function runPresent(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string' }, write: { type: 'boolean' } } });
  const rounds = Number(values.rounds ?? 30);
  const measured = (count: number, data: JsonValue) => {
    const result = deepFreeze(CanonicalToolResult.parse(canonicalResult({ data })));
    const text = JSON.stringify(result);
    const of = (view: ResultView) => time(rounds, () => JSON.stringify(project(result, view, context)));
    return {
      count,
      megabytes: text.length / 1e6,
      ai: of('ai'),
      audit: of('audit'),
      whole: time(rounds, () => JSON.stringify(result)),
    };
  };
  const rows = COUNTS.map((count) => measured(count, { rows: tableOf(count) }));
  const wide = COUNTS.map((count) => measured(count, fieldsOf(count)));
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const table = markdownTable(
    ['data', 'result, MB', 'AI view, ms', 'audit view, ms', 'the result as JSON, ms'],
    [...named(rows, 'rows'), ...named(wide, 'fields')].map(({ name, megabytes, ai, audit, whole }) => [
      name,
      megabytes.toFixed(2),
      ai.toFixed(2),
      audit.toFixed(2),
      whole.toFixed(2),
    ]),
  );
  const ratio = (last.ai / first.ai).toFixed(1);
  const text = `${table}\n\nMedian of ${rounds} rounds, CPU time, ${BUDGET.toLocaleString('en')} characters for the model. ${last.count.toLocaleString('en')} rows cost ${ratio} times what ${first.count} do. ${describeMachine()}.`;
  console.log(text);
  if (values.write) writeTable('present', text);
}

const context = {
  viewer: { roles: new Set(['ai']) },
  knownPaths: ['/srv/vcp/data'],
  limits: DEFAULT_LIMITS,
  ai: { maxCharacters: BUDGET },
};

const named = <T extends { readonly count: number }>(measured: readonly T[], unit: string) =>
  measured.map((row) => ({ ...row, name: `${row.count.toLocaleString('en')} ${unit}` }));

/** One object with many fields. */
const fieldsOf = (count: number): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, id) => [`field-${id}`, id]));

const tableOf = (count: number): JsonValue =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Item ${id}`,
    price: (id * 37) % 1_000,
    note: 'A short note, as such rows have it.',
    url: `https://shop.example/items/${id}`,
  }));

/** Milliseconds of CPU of one run: other work on the machine must not count. The first runs are not measured. */
const time = (rounds: number, run: () => unknown): number => {
  for (let round = 0; round < 5; round += 1) run();
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    const started = performance.now();
    run();
    const { user, system } = process.cpuUsage(before);
    took.push(Math.min(performance.now() - started, (user + system) / 1_000));
  }
  return quantile(took, 0.5);
};
