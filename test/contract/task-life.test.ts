// Whatever happens to a task in whatever order, on real stores: a model of what may be seen of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../adapters/memory/memory-task-store.ts';
import { createSqlCallStore } from '../../adapters/sql/sql-call-store.ts';
import { createSqlTaskStore } from '../../adapters/sql/sql-task-store.ts';
import { openSqliteDatabase, type SqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import type { CallStore } from '../../src/ports/call-store.ts';
import type { TaskStore } from '../../src/ports/task-store.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import type { CallbackVerdict } from '../../src/runtime/tasks/callback-verdict.ts';
import { receiveCallback } from '../../src/runtime/tasks/receive-callback.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../support/async-tool.ts';
import { callSample, createMemoryRuntime } from '../support/memory-runtime.ts';

type Stores = { readonly calls: CallStore; readonly taskStore: TaskStore };

type Step =
  | { readonly kind: 'progress'; readonly progress: number; readonly id: string }
  | { readonly kind: 'result'; readonly payload: number; readonly id: string; readonly times: number }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'restart' };

const id = fc.constantFrom('msg_1', 'msg_2', 'msg_3', 'msg_4');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('progress' as const),
      progress: fc.double({ min: 0, max: 1, noNaN: true }),
      id,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      payload: fc.nat(4),
      id,
      times: fc.constantFrom(1, 1, 2, 20),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'sweep' as const, 'expire' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

const PAYLOADS: readonly JsonValue[] = [
  finalPayload('a'),
  finalPayload('b'),
  { status: 'partial', data: { text: 'c' }, error: null },
  { status: 'error', data: null, error: { code: 'SAMPLE.BROKEN', message: 'broken' } },
  // Fits nothing: the task goes on.
  { status: 'success', data: { text: 1 } },
];

const RANK = { created: 0, queued: 1, running: 2, completed: 3, failed: 3, cancelled: 3, timed_out: 3 } as const;

/** Steps of one group happen at once. */
const live = async ({ calls, taskStore }: Stores, groups: readonly (readonly Step[])[]): Promise<void> => {
  let ahead = 0;
  const open = () =>
    createMemoryRuntime({
      calls,
      taskStore,
      manifests: [asyncManifest()],
      answer: (call) => acceptedAnswer(call),
      clock: { now: () => Date.now() + ahead, monotonic: () => performance.now() },
      limits: { taskProgressMs: 1, taskMs: 1_000_000 },
    });
  let parts = open();
  const accepted = await callSample(parts);
  const taskId = accepted.task!.id;
  const stored = async () => (await taskStore.get(taskId))!;
  let before = await stored();
  const receipts: CallbackVerdict[] = [];

  const look = async () => {
    const now = await stored();
    expect(RANK[now.state]).toBeGreaterThanOrEqual(RANK[before.state]);
    expect(now.resultId === null).toBe(RANK[now.state] < 3);
    if (before.resultId !== null) expect(now).toEqual(before);
    expect(now.acceptedResultId).toBe(accepted.id);
    before = now;
  };

  const take = async (one: Step): Promise<void> => {
    const { tasks, finishing } = parts;
    if (one.kind === 'restart') parts = open();
    else if (one.kind === 'cancel') await tasks.cancel(taskId);
    else if (one.kind === 'sweep') await tasks.sweep();
    else if (one.kind === 'expire') {
      ahead += 600_000;
      await tasks.sweep();
    } else if (one.kind === 'progress') {
      const progress = { stage: null, progress: one.progress, message: null };
      receipts.push(await receiveCallback(await stored(), { kind: 'progress', progress }, one.id, finishing));
    } else {
      const content = { kind: 'result', result: PAYLOADS[one.payload]! } as const;
      const task = await stored();
      const all = Array.from({ length: one.times }, () => receiveCallback(task, content, one.id, finishing));
      receipts.push(...(await Promise.all(all)));
    }
    await look();
  };

  for (const group of groups) await Promise.all(group.map(take));

  const last = await stored();
  const { records } = await calls.listRecords({ owner: null, limit: 1_000 });
  const own = records.filter(({ invocationId }) => invocationId === accepted.execution.invocationId);
  expect(own.filter(({ status }) => status === 'accepted')).toHaveLength(1);
  expect(own).toHaveLength(last.resultId === null ? 1 : 2);
  if (last.resultId !== null) {
    expect((await calls.getResult(last.resultId))?.result.task).toMatchObject({ id: taskId, state: last.state });
  }
  // Whoever was told that its callback ended the task was told the truth.
  for (const receipt of receipts) {
    if (receipt.verdict !== 'taken' || receipt.receipt.resultId === null) continue;
    expect(receipt.receipt).toEqual({ taskId, state: last.state, resultId: last.resultId });
  }
};

const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });

describe('a task, whatever happens to it', () => {
  let directory: string;
  let database: SqliteDatabase;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'vcp-test-task-life-'));
    database = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  });
  afterAll(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('never goes back, and has one end, in memory', async () => {
    const property = fc.asyncProperty(groups, async (given) => {
      const shared = createMemoryTasks();
      await live({ calls: createMemoryCallStore(new Map(), shared), taskStore: createMemoryTaskStore(shared) }, given);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('never goes back, and has one end, in SQLite', async () => {
    const { db, writer } = database;
    const stores = { calls: createSqlCallStore(db, writer), taskStore: createSqlTaskStore(db, writer) };
    await fc.assert(
      fc.asyncProperty(groups, (given) => live(stores, given)),
      { numRuns: 60 },
    );
  });
});
