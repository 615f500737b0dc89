import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idAfter } from '../../../src/lib/id-after.ts';
import type { InboxStore } from '../../../src/ports/inbox-store.ts';
import type { InboxItem } from '../../../src/protocol/inbox.ts';
import { sampleIds } from '../../support/sample-calls.ts';
import { sampleInboxItem, sampleInboxReceipt } from '../../support/sample-inbox.ts';
import { TASK_TIME } from '../../support/sample-tasks.ts';

/** What every inbox store does. `open` gives an empty one. */
export const describeInboxStore = (
  name: string,
  open: () => Promise<{ readonly inbox: InboxStore; close(): Promise<void> }>,
): void => {
  describe(`inbox store: ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let inbox: InboxStore;
    beforeAll(async () => {
      opened = await open();
      ({ inbox } = opened);
    });
    afterAll(() => opened.close());

    const take = (item: InboxItem, keptUntil?: number) => inbox.take(item, sampleInboxReceipt(item, keptUntil));
    const itemsOf = async (taskId: string) =>
      (await inbox.list({ after: null, limit: 1_000 })).filter((item) => item.taskId === taskId);
    const hashOf = (text: string) => text.padStart(64, 'a');
    const resourceOf = (sha256: string) => ({
      id: sampleIds.next('resource'),
      sha256,
      sizeBytes: 3,
      kind: 'image' as const,
      mimeType: 'image/png',
      fileName: 'a.png',
    });

    describe('a callback', () => {
      it('is listed as it was until it is acknowledged, and its receipt stays', async () => {
        const item = sampleInboxItem({
          resources: [resourceOf(hashOf('1'))],
          contentBlob: { sha256: hashOf('2'), sizeBytes: 70_000 },
          content: null,
        });
        expect(await take(item)).toBe(true);
        expect(await itemsOf(item.taskId)).toEqual([item]);
        expect(await inbox.acknowledge([item.id, sampleIds.next('inboxItem')], TASK_TIME)).toBe(1);
        expect(await inbox.acknowledge([item.id], TASK_TIME)).toBe(0);
        expect(await itemsOf(item.taskId)).toEqual([]);
        const answer = { taskId: item.taskId, state: 'completed', resultId: null };
        const told = { digest: item.digest, answer };
        expect(await inbox.taken(item.taskId, item.webhookId)).toEqual({ sameId: told, last: told });
        expect(await inbox.taken(item.taskId, 'another')).toEqual({ sameId: null, last: told });
        expect(await inbox.taken(sampleIds.next('task'), item.webhookId)).toEqual({ sameId: null, last: null });
      });

      it('keeps the JSON null apart from a content that lies elsewhere', async () => {
        const item = sampleInboxItem({ content: null });
        await take(item);
        expect(await itemsOf(item.taskId)).toEqual([item]);
      });

      it('is taken once under its id, and once at the end of a task', async () => {
        const item = sampleInboxItem();
        const again = sampleInboxItem({ taskId: item.taskId, webhookId: item.webhookId });
        const another = sampleInboxItem({ taskId: item.taskId });
        const late = sampleInboxItem({ taskId: item.taskId, kind: 'progress' });
        expect(await take(item)).toBe(true);
        for (const refused of [again, another, late]) expect(await take(refused)).toBe(false);
        expect(await itemsOf(item.taskId)).toEqual([item]);
      });

      it('is taken once of many that come at the same time', async () => {
        const first = sampleInboxItem();
        const rivals = Array.from({ length: 8 }, (_, index) =>
          sampleInboxItem({ taskId: first.taskId, webhookId: index % 2 === 0 ? 'same' : `other_${index}` }),
        );
        const taken = await Promise.all(rivals.map((rival) => take(rival)));
        expect(taken.filter(Boolean)).toHaveLength(1);
        expect(await itemsOf(first.taskId)).toEqual([rivals[taken.indexOf(true)]]);
      });

      it('ends a task that has acknowledged items, no less', async () => {
        const item = sampleInboxItem();
        await take(item);
        await inbox.acknowledge([item.id], TASK_TIME);
        expect(await take(sampleInboxItem({ taskId: item.taskId }))).toBe(false);
      });

      it('may have a long list of resources', async () => {
        const hashes = Array.from({ length: 64 }, (_, index) => hashOf(`b${index}`));
        const item = sampleInboxItem({ resources: [...hashes, hashes[0]!].map(resourceOf) });
        expect(await take(item)).toBe(true);
        expect(await inbox.referencedBlobs([...hashes, hashOf('none')])).toEqual(new Set(hashes));
        const many = Array.from({ length: 300 }, (_, index) => hashOf(`c${index}`));
        expect(await inbox.referencedBlobs([...many, hashes[5]!])).toEqual(new Set([hashes[5]]));
      });
    });

    describe('progress', () => {
      it('takes the place of older progress, and gives its own to the end', async () => {
        const { taskId } = sampleInboxItem();
        const progressOf = () => sampleInboxItem({ taskId, kind: 'progress', state: 'running' });
        const [older, newer] = [progressOf(), progressOf()];
        expect(await take(older)).toBe(true);
        expect(await take(newer)).toBe(true);
        expect(await itemsOf(taskId)).toEqual([newer]);
        expect((await inbox.taken(taskId, older.webhookId)).sameId?.digest).toBe(older.digest);
        const end = sampleInboxItem({ taskId });
        expect(await take(end)).toBe(true);
        expect(await itemsOf(taskId)).toEqual([end]);
        expect((await inbox.taken(taskId, newer.webhookId)).last?.digest).toBe(end.digest);
      });

      it('of one task leaves that of others alone', async () => {
        const one = sampleInboxItem({ kind: 'progress' });
        const other = sampleInboxItem({ kind: 'progress' });
        await take(one);
        await take(other);
        expect(await itemsOf(one.taskId)).toEqual([one]);
      });
    });

    describe('the order', () => {
      it('is that of taking: an id that is not the newest is not taken', async () => {
        const [early, late] = [sampleInboxItem(), sampleInboxItem()];
        expect(await take(late)).toBe(true);
        expect(await inbox.newestId()).toBe(late.id);
        expect(await take(early)).toBe(false);
        expect(await inbox.taken(early.taskId, early.webhookId)).toEqual({ sameId: null, last: null });
        const mended = { ...early, id: idAfter('inboxItem', late.id) };
        expect(await take(mended)).toBe(true);
        const behind = await inbox.list({ after: late.id, limit: 10 });
        expect(behind).toEqual([mended]);
        expect(await inbox.list({ after: mended.id, limit: 10 })).toEqual([]);
      });

      it('gives pages', async () => {
        const start = await inbox.newestId();
        const items: InboxItem[] = [];
        for (let index = 0; index < 5; index += 1) {
          const item = sampleInboxItem({ id: idAfter('inboxItem', (await inbox.newestId()) as string) });
          await take(item);
          items.push(item);
        }
        expect(await inbox.list({ after: start, limit: 3 })).toEqual(items.slice(0, 3));
        expect(await inbox.list({ after: items[2]!.id, limit: 3 })).toEqual(items.slice(3));
      });
    });

    describe('what has had its time', () => {
      const nextItem = async (changes: Partial<InboxItem>) =>
        sampleInboxItem({ id: idAfter('inboxItem', (await inbox.newestId()) as string), ...changes });
      const times = { acknowledgedBefore: TASK_TIME + 1_000, now: TASK_TIME + 1_000 };

      it('goes with its blobs when it was acknowledged, and never before', async () => {
        const shared = hashOf('shared');
        const done = await nextItem({ resources: [resourceOf(shared), resourceOf(hashOf('done'))] });
        await take(done);
        const waiting = await nextItem({ resources: [resourceOf(shared), resourceOf(hashOf('open'))] });
        await take(waiting);
        const young = await nextItem({ resources: [resourceOf(hashOf('young'))] });
        await take(young);
        await inbox.acknowledge([done.id], TASK_TIME);
        await inbox.acknowledge([young.id], TASK_TIME + 2_000);
        expect(await inbox.refersTo(hashOf('done'))).toBe(true);
        while ((await inbox.forget(times, 2)).items >= 2);
        expect(await inbox.referencedBlobs(['shared', 'done', 'open', 'young'].map(hashOf))).toEqual(
          new Set(['shared', 'open', 'young'].map(hashOf)),
        );
        expect(await inbox.refersTo(hashOf('done'))).toBe(false);
        expect(await itemsOf(waiting.taskId)).toEqual([waiting]);
      });

      it('is remembered until no other callback of the task may come', async () => {
        const item = await nextItem({});
        await take(item, TASK_TIME + 1_500);
        await inbox.acknowledge([item.id], TASK_TIME);
        await inbox.forget(times, 100);
        expect((await inbox.taken(item.taskId, item.webhookId)).sameId).not.toBeNull();
        while ((await inbox.forget({ ...times, now: TASK_TIME + 1_501 }, 2)).callbacks > 0);
        expect(await inbox.taken(item.taskId, item.webhookId)).toEqual({ sameId: null, last: null });
      });
    });
  });
};
