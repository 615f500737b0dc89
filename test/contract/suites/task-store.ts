import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidCursor } from '../../../src/lib/record-cursor.ts';
import type { CallStore, TaskEnd } from '../../../src/ports/call-store.ts';
import type { IdempotencyStore } from '../../../src/ports/idempotency-store.ts';
import type { StoredTask, TakenCallback, TaskStore } from '../../../src/ports/task-store.ts';
import { sampleCall, sampleIds, sampleResource } from '../../support/sample-calls.ts';
import { sampleTask, TASK_TIME } from '../../support/sample-tasks.ts';

/** A task store, with the stores that the end of a task is written through. */
export type OpenTaskStore = {
  readonly tasks: TaskStore;
  readonly calls: CallStore;
  readonly keys: IdempotencyStore;
  close(): Promise<void>;
};

const callbackOf = (changes: Partial<TakenCallback> = {}): TakenCallback => ({
  webhookId: 'msg_1',
  digest: 'd'.repeat(64),
  endsTask: true,
  answer: { state: 'completed' },
  at: TASK_TIME,
  ...changes,
});

/** What every task store does, and what every call store does at the end of a task. `open` gives empty ones. */
export const describeTaskStore = (name: string, open: () => Promise<OpenTaskStore>): void => {
  describe(`task store: ${name}`, () => {
    let opened: OpenTaskStore;
    let tasks: TaskStore;
    let calls: CallStore;
    beforeAll(async () => {
      opened = await open();
      ({ tasks, calls } = opened);
    });
    afterAll(() => opened.close());

    const created = async (changes: Partial<StoredTask> = {}): Promise<StoredTask> => {
      const task = sampleTask(changes);
      await tasks.create(task);
      return task;
    };
    const settle = (task: StoredTask, more: Partial<TaskEnd> = {}, call = sampleCall()) =>
      calls.settleTask(call, { taskId: task.id, state: 'completed', at: TASK_TIME + 5, ...more });

    describe('a task', () => {
      it('is found again as it was', async () => {
        const task = await created();
        expect(await tasks.get(task.id)).toEqual(task);
        const bare = await created({ command: null, actor: null, displayName: null, requestIp: null, extensions: {} });
        expect(await tasks.get(bare.id)).toEqual(bare);
      });

      it('that was never made is null', async () => {
        expect(await tasks.get(sampleIds.next('task'))).toBeNull();
        expect(await tasks.get("' OR 1=1 --")).toBeNull();
      });

      it('cannot be made twice', async () => {
        const task = await created();
        await expect(tasks.create({ ...task, owner: 'another' })).rejects.toThrow();
        expect((await tasks.get(task.id))?.owner).toBe('owner');
      });
    });

    describe('a step', () => {
      it('leads on, keeps what it does not name, and never back', async () => {
        const task = await created();
        expect(await tasks.advance(task.id, { to: 'queued', stage: 'waiting', at: TASK_TIME + 1 })).toBe(true);
        expect(await tasks.advance(task.id, { to: 'running', progress: 0.25, at: TASK_TIME + 2 })).toBe(true);
        expect(await tasks.get(task.id)).toEqual({
          ...task,
          state: 'running',
          progress: 0.25,
          stage: 'waiting',
          updatedAt: TASK_TIME + 2,
        });
        expect(await tasks.advance(task.id, { to: 'queued', progress: 0.9, at: TASK_TIME + 3 })).toBe(false);
        expect(await tasks.get(task.id)).toMatchObject({ state: 'running', progress: 0.25, updatedAt: TASK_TIME + 2 });
      });

      it('changes nothing of a task that has ended or is not there', async () => {
        const task = await created();
        await settle(task);
        expect(await tasks.advance(task.id, { to: 'running', progress: 0.1, at: TASK_TIME + 9 })).toBe(false);
        expect(await tasks.advance(task.id, { progress: 0.1, at: TASK_TIME + 9 })).toBe(false);
        expect(await tasks.get(task.id)).toMatchObject({ state: 'completed', progress: 1, updatedAt: TASK_TIME + 5 });
        expect(await tasks.advance(sampleIds.next('task'), { progress: 0.1, at: TASK_TIME })).toBe(false);
      });

      it('is taken once for each callback', async () => {
        const task = await created();
        const callback = callbackOf({ endsTask: false });
        expect(await tasks.advance(task.id, { progress: 0.5, at: TASK_TIME + 1 }, callback)).toBe(true);
        expect(await tasks.advance(task.id, { progress: 0.1, at: TASK_TIME + 2 }, callback)).toBe(false);
        expect((await tasks.get(task.id))?.progress).toBe(0.5);
        expect(await tasks.takenCallbacks(task.id, 'msg_1')).toEqual({ sameId: callback, last: null });
        expect(await tasks.takenCallbacks(task.id, 'msg_2')).toEqual({ sameId: null, last: null });
      });

      it('of a callback to a task that has ended leaves no callback', async () => {
        const task = await created();
        await settle(task);
        expect(await tasks.advance(task.id, { progress: 0.5, at: TASK_TIME }, callbackOf())).toBe(false);
        expect(await tasks.takenCallbacks(task.id, 'msg_1')).toEqual({ sameId: null, last: null });
      });
    });

    describe('an accepted call', () => {
      it('is linked with its task, which comes as far as it says', async () => {
        const task = await created();
        const call = sampleCall();
        const acceptance = { taskId: task.id, state: 'running', progress: 0.1, at: TASK_TIME + 1 } as const;
        await calls.saveCall({ ...call, acceptance });
        expect(await tasks.get(task.id)).toMatchObject({
          state: 'running',
          progress: 0.1,
          acceptedResultId: call.result.id,
          resultId: null,
          updatedAt: TASK_TIME + 1,
        });
      });

      it('is linked with a task that its callback has ended before, and changes nothing else of it', async () => {
        const task = await created();
        const end = sampleCall();
        await settle(task, {}, end);
        const call = sampleCall();
        await calls.saveCall({
          ...call,
          acceptance: { taskId: task.id, state: 'running', progress: 0.1, at: TASK_TIME + 9 },
        });
        expect(await tasks.get(task.id)).toMatchObject({
          state: 'completed',
          progress: 1,
          acceptedResultId: call.result.id,
          resultId: end.result.id,
          updatedAt: TASK_TIME + 5,
        });
      });
    });

    describe('the end of a task', () => {
      it('is kept with result, record, resources and callback', async () => {
        const task = await created();
        const resource = sampleResource();
        const call = sampleCall({ resources: [resource] });
        const callback = callbackOf();
        expect(await settle(task, { state: 'failed', callback }, call)).toBe(true);
        expect(await tasks.get(task.id)).toEqual({
          ...task,
          state: 'failed',
          resultId: call.result.id,
          updatedAt: TASK_TIME + 5,
        });
        expect(await calls.getResult(call.result.id)).toEqual({ owner: 'owner', result: call.result });
        expect(await calls.getRecord(call.record!.id)).toEqual(call.record);
        expect((await calls.getResource(resource.id))?.resultId).toBe(call.result.id);
        expect(await tasks.takenCallbacks(task.id, 'another')).toEqual({ sameId: null, last: callback });
      });

      it('comes once: of twenty at a time one is kept, and of the others nothing', async () => {
        const task = await created();
        const ends = Array.from({ length: 20 }, (_, index) => ({
          call: sampleCall({ resources: [sampleResource()] }),
          state: (['completed', 'failed', 'cancelled', 'timed_out'] as const)[index % 4]!,
          callback: callbackOf({ webhookId: `msg_${index}` }),
        }));
        const kept = await Promise.all(
          ends.map(({ call, state, callback }) => settle(task, { state, callback }, call)),
        );
        expect(kept.filter(Boolean)).toHaveLength(1);
        const winner = kept.indexOf(true);
        expect(await tasks.get(task.id)).toMatchObject({
          state: ends[winner]!.state,
          resultId: ends[winner]!.call.result.id,
        });
        for (const [index, { call }] of ends.entries()) {
          if (index === winner) continue;
          expect(await calls.getResult(call.result.id)).toBeNull();
          expect(await calls.getRecord(call.record!.id)).toBeNull();
          expect(await calls.getResource(call.result.resources[0]!.id)).toBeNull();
          expect((await tasks.takenCallbacks(task.id, `msg_${index}`)).sameId).toBeNull();
        }
      });

      it('is not brought by a callback that was taken already', async () => {
        const task = await created();
        await tasks.advance(task.id, { progress: 0.5, at: TASK_TIME }, callbackOf({ endsTask: false }));
        const call = sampleCall();
        expect(await settle(task, { callback: callbackOf() }, call)).toBe(false);
        expect(await calls.getResult(call.result.id)).toBeNull();
        expect(await tasks.get(task.id)).toMatchObject({ state: 'created', resultId: null });
      });

      it('of a task that is not there keeps nothing', async () => {
        const call = sampleCall();
        expect(await settle(sampleTask(), {}, call)).toBe(false);
        expect(await calls.getResult(call.result.id)).toBeNull();
      });

      it('settles its idempotency key on the result that the task has', async () => {
        const task = await created();
        const claim = (call: ReturnType<typeof sampleCall>, key: string) => ({
          owner: 'owner',
          key,
          fingerprint: 'f'.repeat(64),
          invocationId: call.result.execution.invocationId,
          claimedBy: 'test',
          claimedAt: TASK_TIME,
          leaseUntil: TASK_TIME + 1_000,
          expiresAt: TASK_TIME + 2_000,
          isRepeatable: false,
          resultId: null,
        });
        const [first, second] = [sampleCall(), sampleCall()];
        await opened.keys.claim(claim(first, 'first'));
        await opened.keys.claim(claim(second, 'second'));
        const keptUntil = TASK_TIME + 9_000;
        expect(await settle(task, {}, { ...first, idempotency: { key: 'first', keptUntil } })).toBe(true);
        expect(await settle(task, {}, { ...second, idempotency: { key: 'second', keptUntil } })).toBe(false);
        for (const key of ['first', 'second']) {
          expect(await opened.keys.find('owner', key)).toMatchObject({
            resultId: first.result.id,
            expiresAt: keptUntil,
          });
        }
      });
    });

    describe('a list', () => {
      it('has the newest first, a page at a time, of the owner, tool and states that are asked for', async () => {
        const toolName = 'Listed';
        const all: StoredTask[] = [];
        for (let index = 0; index < 5; index += 1) {
          all.push(await created({ toolName, owner: index % 2 === 0 ? 'even' : 'odd' }));
        }
        await tasks.advance(all[4]!.id, { to: 'running', at: TASK_TIME });
        const ids = async (query: Partial<Parameters<TaskStore['list']>[0]>) =>
          (await tasks.list({ owner: null, limit: 100, toolName, ...query })).tasks.map(({ id }) =>
            all.findIndex((task) => task.id === id),
          );
        expect(await ids({})).toEqual([4, 3, 2, 1, 0]);
        expect(await ids({ owner: 'odd' })).toEqual([3, 1]);
        expect(await ids({ states: ['running'] })).toEqual([4]);
        expect(await ids({ states: ['created', 'running'], owner: 'even' })).toEqual([4, 2, 0]);
        expect(await ids({ toolName: 'listed' })).toEqual([]);
        const first = await tasks.list({ owner: null, toolName, limit: 3 });
        expect(first.tasks).toHaveLength(3);
        const second = await tasks.list({ owner: null, toolName, limit: 3, cursor: first.nextCursor! });
        expect(second.tasks.map(({ id }) => id)).toEqual([all[1]!.id, all[0]!.id]);
        expect(second.nextCursor).toBeNull();
      });

      it('refuses a cursor that no page gave', async () => {
        for (const cursor of ['', 'after:tcr_01KBAW3ZZZZZZZZZZZZZZZZZZZ', 'after:task_%']) {
          await expect(tasks.list({ owner: null, limit: 1, cursor })).rejects.toThrow(InvalidCursor);
        }
      });
    });

    describe('time', () => {
      it('makes tasks overdue that have not ended, the oldest first', async () => {
        const past = TASK_TIME - 1_000_000;
        const late = await created({ expiresAt: past + 2 });
        const later = await created({ expiresAt: past + 1 });
        const ended = await created({ expiresAt: past });
        await settle(ended);
        await created({ expiresAt: past + 3 });
        expect((await tasks.overdue(past + 2, 10)).map(({ id }) => id)).toEqual([later.id, late.id]);
        expect((await tasks.overdue(past + 2, 1)).map(({ id }) => id)).toEqual([later.id]);
      });

      it('removes tasks that ended before, with their callbacks, and none that runs', async () => {
        const cut = TASK_TIME - 2_000_000;
        const old = await created();
        await settle(old, { at: cut - 1, callback: callbackOf({ webhookId: 'old' }) });
        const young = await created();
        await settle(young, { at: cut });
        const lasting = await created({ updatedAt: cut - 1 });
        expect(await tasks.removeEnded(cut, 10)).toBe(1);
        expect(await tasks.get(old.id)).toBeNull();
        expect(await tasks.takenCallbacks(old.id, 'old')).toEqual({ sameId: null, last: null });
        expect(await tasks.get(young.id)).not.toBeNull();
        expect(await tasks.get(lasting.id)).not.toBeNull();
      });
    });

    it('forgets callbacks from before, but not the one that ended a task', async () => {
      const cut = TASK_TIME - 3_000_000;
      const task = await created();
      const [old, young] = [
        callbackOf({ webhookId: 'old', endsTask: false, at: cut - 1 }),
        callbackOf({ webhookId: 'young', endsTask: false, at: cut }),
      ];
      const last = callbackOf({ webhookId: 'last', at: cut - 1 });
      for (const callback of [old, young]) await tasks.advance(task.id, { progress: 0.5, at: cut }, callback);
      await settle(task, { callback: last });
      expect(await tasks.forgetCallbacks(cut, 10)).toBe(1);
      expect(await tasks.takenCallbacks(task.id, 'old')).toEqual({ sameId: null, last });
      expect(await tasks.takenCallbacks(task.id, 'young')).toEqual({ sameId: young, last });
    });

    it('tells which of some tasks have ended, and how many have not', async () => {
      const [lasting, ended] = [await created(), await created()];
      const before = await tasks.countOpen();
      await settle(ended, { state: 'timed_out' });
      const missing = sampleIds.next('task');
      expect(await tasks.ended([lasting.id, ended.id, missing])).toEqual(new Set([ended.id, missing]));
      expect(await tasks.ended([])).toEqual(new Set());
      const after = await tasks.countOpen();
      expect(after.get('timed_out')).toBeUndefined();
      expect((after.get('created') ?? 0) - (before.get('created') ?? 0)).toBe(-1);
    });
  });
};
