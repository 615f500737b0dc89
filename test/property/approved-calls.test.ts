// Approved calls on servers that share their stores and die at any moment.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryApprovalStore } from '../../adapters/memory/memory-approval-store.ts';
import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../adapters/memory/memory-task-store.ts';
import { guarded } from '../support/approvals.ts';
import { createMemoryRuntime, success, type MemoryRuntime } from '../support/memory-runtime.ts';

const LEASE_MS = 40;
const SERVERS = 3;

type Step = {
  readonly what: 'call' | 'wait' | 'approve' | 'reject' | 'attend' | 'cancel' | 'crash' | 'stop' | 'pause';
  readonly server: number;
  /** Which of the approvals that there are. */
  readonly which: number;
};

const steps = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what'][]>(
      'call',
      'call',
      'wait',
      'approve',
      'approve',
      'reject',
      'attend',
      'cancel',
      'crash',
      'stop',
      'pause',
    ),
    server: fc.nat({ max: SERVERS - 1 }),
    which: fc.nat({ max: 20 }),
  }),
  { minLength: 4, maxLength: 24 },
);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A store as a process sees it: once that is dead, nothing that it asked for is ever done or answered. */
const until = <Store extends object>(store: Store, life: { isDead: boolean }): Store =>
  new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => (life.isDead ? new Promise(() => undefined) : method.apply(target, args));
    },
  });

const live = async (lives: readonly Step[]): Promise<void> => {
  const tasks = createMemoryTasks();
  const stores = {
    calls: createMemoryCallStore(new Map(), tasks),
    taskStore: createMemoryTaskStore(tasks),
    approvals: createMemoryApprovalStore(),
  };
  const runs: string[] = [];
  const begin = () => {
    const life = { isDead: false };
    const parts = createMemoryRuntime({
      manifests: [guarded()],
      limits: { approvalLeaseMs: LEASE_MS, approvalMs: 60_000 },
      calls: until(stores.calls, life),
      taskStore: until(stores.taskStore, life),
      approvals: until(stores.approvals, life),
      answer: async ({ invocationId }) => {
        if (life.isDead) return await new Promise(() => undefined);
        runs.push(invocationId);
        await sleep((runs.length % 3) * 8);
        return success({ done: true });
      },
    });
    return { life, parts };
  };
  const servers = Array.from({ length: SERVERS }, begin);
  const make = (parts: MemoryRuntime, approvalWaitMs: number) =>
    void parts.runtime.execute({
      toolName: 'Sample',
      arguments: {},
      context: { source: 'human', owner: 'alice' },
      approvalWaitMs,
    });
  const decide = async (parts: MemoryRuntime, which: number, decision: 'approve' | 'reject') => {
    const { approvals } = await stores.approvals.list({ owner: null, limit: 100 });
    const one = approvals[which % Math.max(1, approvals.length)];
    if (one !== undefined) void parts.runtime.approvals.decide(one.id, { decision, reason: null, by: 'Olga' });
  };

  for (const { what, server, which } of lives) {
    const { life, parts } = servers[server]!;
    if (what === 'call') make(parts, 0);
    else if (what === 'wait') make(parts, 30_000);
    else if (what === 'approve' || what === 'reject') await decide(parts, which, what);
    else if (what === 'attend') void parts.runtime.approvals.attend();
    else if (what === 'cancel') {
      const { tasks: open } = await stores.taskStore.list({ owner: null, limit: 100 });
      const one = open[which % Math.max(1, open.length)];
      if (one !== undefined) void parts.tasks.cancel(one.id);
    } else if (what === 'stop') {
      parts.runtime.deferWaiting();
      await parts.runtime.idle();
      servers[server] = begin();
    } else if (what === 'crash') {
      life.isDead = true;
      servers[server] = begin();
    } else await sleep(which);
    // A step has begun to have its effect when the next one comes, and often has not ended.
    await sleep(which % 4);
  }

  // Whoever is left brings everything to its end.
  const last = begin().parts;
  for (const { parts } of servers) parts.runtime.deferWaiting();
  for (let look = 0; look < 60; look += 1) {
    const { approvals } = await stores.approvals.list({ owner: null, limit: 100, states: ['pending'] });
    for (const { id } of approvals)
      void last.runtime.approvals.decide(id, { decision: 'reject', reason: null, by: 'Olga' });
    await last.runtime.approvals.attend();
    await sleep(5);
    const open = await stores.taskStore.list({ owner: null, limit: 100, states: ['created', 'queued', 'running'] });
    const isOver = approvals.length === 0 && open.tasks.length === 0;
    if (isOver && (await stores.approvals.unattended(Date.now() + LEASE_MS, 1)).length === 0) break;
  }

  const { approvals } = await stores.approvals.list({ owner: null, limit: 100 });
  expect(runs.filter((id, index) => runs.indexOf(id) !== index)).toEqual([]);
  for (const approval of approvals) {
    expect(approval.state).not.toBe('pending');
    if (runs.includes(approval.invocationId)) expect(approval.ranAt).not.toBeNull();
    if (approval.ranAt !== null) expect([approval.state, approval.decidedBy]).toEqual(['approved', 'Olga']);
    if (approval.taskId === null) continue;
    const task = await stores.taskStore.get(approval.taskId);
    expect(task?.resultId).not.toBeNull();
    if (task?.state === 'completed') expect(runs).toContain(approval.invocationId);
  }
};

it('are made at most once, only when they were approved, and every task has its end', async () => {
  await fc.assert(fc.asyncProperty(steps, live), {
    numRuns: 60,
    interruptAfterTimeLimit: 20_000,
  });
}, 60_000);
