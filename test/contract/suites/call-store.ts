import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidCursor } from '../../../src/lib/record-cursor.ts';
import type { CallStore, RecordQuery } from '../../../src/ports/call-store.ts';
import { RUNTIME_SKIPS } from '../../runtime-skips.ts';
import { sampleCall, sampleIds, sampleResource } from '../../support/sample-calls.ts';

export type OpenCallStore = { readonly store: CallStore; close(): Promise<void> };

/** What every call store does. `open` gives an empty one; One that `cutsAtNul` keeps none in bare text. */
export const describeCallStore = (
  name: string,
  open: () => Promise<OpenCallStore>,
  { cutsAtNul = false }: { readonly cutsAtNul?: boolean } = {},
): void => {
  describe(`call store: ${name}`, () => {
    let opened: OpenCallStore;
    let store: CallStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const list = (query: Partial<RecordQuery>) => store.listRecords({ owner: null, limit: 100, ...query });

    describe('a call', () => {
      it('is found again: result, record and resources', async () => {
        const resource = sampleResource();
        const call = sampleCall({
          resources: [resource],
          data: { list: [1, 2.5, null, true, 'text'], nested: { deep: [] } },
        });
        await store.saveCall(call);
        expect(await store.getResult(call.result.id)).toEqual({ owner: 'owner', result: call.result });
        expect(await store.getRecord(call.record!.id)).toEqual(call.record);
        expect(await store.getResource(resource.id)).toEqual({
          descriptor: resource,
          owner: 'owner',
          resultId: call.result.id,
          createdAt: call.result.execution.finishedAt,
        });
      });

      it('may have no record', async () => {
        const call = sampleCall({ record: null });
        await store.saveCall(call);
        expect(await store.getResult(call.result.id)).toEqual({ owner: 'owner', result: call.result });
      });

      it('that was never saved is null, whatever its id looks like', async () => {
        for (const id of [sampleIds.next('result'), '', "' OR 1=1 --", '%', '\0', '__proto__']) {
          expect(await store.getResult(id)).toBeNull();
          expect(await store.getRecord(id)).toBeNull();
          expect(await store.getResource(id)).toBeNull();
        }
      });

      it('keeps any text: astral, combining, right-to-left, NUL and controls', async () => {
        const text = '𝄞 漢字 e\u0301 עברית \u202e \0 \u0001 \u2028 \uffff \\u0000 "\' 👩‍👩‍👧';
        const call = sampleCall({
          owner: 'оwner-漢𝄞',
          toolName: '日程管理',
          data: { [text]: text },
          record: { actor: `Ada 𝄞 ${text.replace('\0', '')}`, audit: { [text]: text } },
        });
        await store.saveCall(call);
        expect(await store.getResult(call.result.id)).toEqual({ owner: 'оwner-漢𝄞', result: call.result });
        expect(await store.getRecord(call.record!.id)).toEqual(call.record);
        expect((await list({ actor: call.record!.actor! })).records).toEqual([call.record]);
      });

      it('keeps a NUL also where text is no JSON', async (context) => {
        if (cutsAtNul) context.skip(RUNTIME_SKIPS.nulInText.reason);
        const call = sampleCall({ record: { actor: 'A\0da' } });
        await store.saveCall(call);
        expect(await store.getRecord(call.record!.id)).toEqual(call.record);
        expect((await list({ actor: 'A\0da' })).records).toEqual([call.record]);
      });

      it('may be 5 MB', async () => {
        const data = { text: '0123456789 äöü 漢'.repeat(300_000) };
        const call = sampleCall({ data });
        await store.saveCall(call);
        expect((await store.getResult(call.result.id))?.result.data).toEqual(data);
      });

      it('keeps numbers as they are', async () => {
        const data = [0, -0.5, 1e308, 5e-324, 9_007_199_254_740_991, 0.1];
        const call = sampleCall({ data, record: { durationMs: 1_234.567 } });
        await store.saveCall(call);
        expect((await store.getResult(call.result.id))?.result.data).toEqual(data);
        expect((await store.getRecord(call.record!.id))?.durationMs).toBe(1_234.567);
      });
    });

    describe('a call that cannot be stored', () => {
      const taken = sampleCall({ resources: [sampleResource()] });
      beforeAll(() => store.saveCall(taken));

      const clashes = {
        'the id of a result': () =>
          sampleCall({ resultId: taken.result.id, data: 'new', resources: [sampleResource()] }),
        'the id of a record': () =>
          sampleCall({ record: { id: taken.record!.id, toolName: 'New' }, resources: [sampleResource()] }),
        'the id of a resource': () => sampleCall({ resources: [sampleResource(), taken.result.resources[0]!] }),
      };
      it.each(Object.keys(clashes) as (keyof typeof clashes)[])(
        'because %s is taken leaves nothing of itself',
        async (clash) => {
          const call = clashes[clash]();
          await expect(store.saveCall(call)).rejects.toThrow();
          if (call.result.id !== taken.result.id) expect(await store.getResult(call.result.id)).toBeNull();
          if (call.record!.id !== taken.record!.id) expect(await store.getRecord(call.record!.id)).toBeNull();
          expect(await store.getResource(call.result.resources[0]!.id)).toBeNull();
          expect((await store.getResult(taken.result.id))?.result).toEqual(taken.result);
          expect(await store.getRecord(taken.record!.id)).toEqual(taken.record);
          expect((await store.getResource(taken.result.resources[0]!.id))?.resultId).toBe(taken.result.id);
        },
      );

      it('does not take the calls with it that are saved in the same moment', async () => {
        const good = Array.from({ length: 8 }, () => sampleCall());
        const bad = sampleCall({ resultId: taken.result.id });
        const all = [...good.slice(0, 4), bad, ...good.slice(4)];
        const outcomes = await Promise.allSettled(all.map((call) => store.saveCall(call)));
        expect(outcomes.map(({ status }) => status)).toEqual([
          'fulfilled',
          'fulfilled',
          'fulfilled',
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
          'fulfilled',
          'fulfilled',
        ]);
        for (const call of good) expect((await store.getResult(call.result.id))?.result.id).toBe(call.result.id);
      });

      it('is the later one of two that are saved in the same moment with the same id', async () => {
        const first = sampleCall({ data: 'first' });
        const second = sampleCall({ data: 'second', resultId: first.result.id });
        const outcomes = await Promise.allSettled([store.saveCall(first), store.saveCall(second)]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
        expect((await store.getResult(first.result.id))?.result.data).toBe('first');
        expect(await store.getRecord(second.record!.id)).toBeNull();
      });
    });

    describe('records', () => {
      const at = (time: string, more: Partial<Parameters<typeof sampleCall>[0]> & { record?: object } = {}) =>
        sampleCall({
          owner: 'lister',
          toolName: 'Listed',
          ...more,
          record: { startedAt: `2026-01-01T${time}.000Z`, ...more.record },
        });
      const calls = [
        at('10:00:00'),
        at('11:00:00', { record: { status: 'error', errorCode: 'FORBIDDEN', actor: 'Ada' } }),
        at('12:00:00', { toolName: 'Other' }),
        at('13:00:00', { owner: 'another' }),
        at('14:00:00', { record: { status: 'error', actor: 'Bob' } }),
      ];
      beforeAll(async () => {
        for (const call of calls) await store.saveCall(call);
      });
      const idsOf = (indexes: readonly number[]) => indexes.map((index) => calls[index]!.record!.id);
      const found = async (query: Partial<RecordQuery>) =>
        (await list({ owner: 'lister', ...query })).records.map(({ id }) => id);

      it.each<[string, Partial<RecordQuery>, readonly number[]]>([
        ['all of an owner, newest first', {}, [4, 2, 1, 0]],
        ['by tool', { toolName: 'Listed' }, [4, 1, 0]],
        ['by status', { status: 'error' }, [4, 1]],
        ['by actor', { actor: 'Ada' }, [1]],
        ['from a time on', { since: '2026-01-01T11:00:00Z' }, [4, 2, 1]],
        ['before a time', { until: '2026-01-01T11:00:00Z' }, [0]],
        [
          'by a time of another zone',
          { since: '2026-01-01T13:00:00+02:00', until: '2026-01-01T14:00:00.000+02:00' },
          [1],
        ],
        [
          'by everything at once',
          { toolName: 'Listed', status: 'error', actor: 'Bob', since: '2026-01-01T00:00:00Z' },
          [4],
        ],
        ['of nobody', { owner: 'nobody' }, []],
        ['by text that looks like SQL', { toolName: "Listed' OR '1'='1" }, []],
      ])('%s', async (_what, query, expected) => {
        expect(await found(query)).toEqual(idsOf(expected));
      });

      it('of every owner when none is asked for', async () => {
        expect(await found({ owner: null, since: '2026-01-01T12:30:00Z', until: '2026-01-02T00:00:00Z' })).toEqual(
          idsOf([4, 3]),
        );
      });

      it('come in pages that miss none and repeat none, however equal their times are', async () => {
        const many = Array.from({ length: 3_000 }, () =>
          sampleCall({ owner: 'pager', data: null, record: { startedAt: '2026-02-02T00:00:00.000Z' } }),
        );
        await Promise.all(many.map((call) => store.saveCall(call)));
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await list({ owner: 'pager', limit: 257, ...(cursor === null ? {} : { cursor }) });
          seen.push(...page.records.map(({ id }) => id));
          cursor = page.nextCursor;
          // What is written while somebody turns the pages is newer than all of them.
          if (seen.length === 514) await store.saveCall(sampleCall({ owner: 'pager' }));
        } while (cursor !== null);
        expect(seen).toEqual(many.map(({ record }) => record!.id).toReversed());
      });

      it('end without a cursor when the last page is full to the brim', async () => {
        const page = await list({ owner: 'lister', limit: 4 });
        expect(page.records).toHaveLength(4);
        expect(page.nextCursor).toBeNull();
      });

      it.each(['', 'x', 'after:', 'after:tcr_', `after:${sampleIds.next('result')}`, "after:' OR 1=1 --"])(
        'refuse a cursor that no page gave: %j',
        async (cursor) => {
          await expect(list({ cursor })).rejects.toBeInstanceOf(InvalidCursor);
        },
      );
    });

    it('keeps a resource that belongs to no result', async () => {
      const resource = {
        descriptor: sampleResource({ fileName: 'ü𝄞.png', metadata: { a: [1] } }),
        owner: 'uploader',
        resultId: null,
        createdAt: '2026-11-30T10:00:00.000Z',
      };
      await store.saveResource(resource);
      expect(await store.getResource(resource.descriptor.id)).toEqual(resource);
      await expect(store.saveResource({ ...resource, owner: 'thief' })).rejects.toThrow();
      expect((await store.getResource(resource.descriptor.id))?.owner).toBe('uploader');
    });

    describe('what has had its time', () => {
      const OLD = '2020-01-01T00:00:00.000Z';
      const CUT = '2020-06-01T00:00:00.000Z';
      const YOUNG = '2021-01-01T00:00:00.000Z';
      const NOTHING = { results: null, records: null, uploads: null };
      const hash = (letter: string) => letter.repeat(64);
      const upload = (createdAt: string, sha256: string) => ({
        descriptor: sampleResource({ sha256 }),
        owner: 'owner',
        resultId: null,
        createdAt,
      });
      const call = (startedAt: string, sha256: string) =>
        sampleCall({ resources: [sampleResource({ sha256 })], record: { startedAt } });
      const all = ['0', '1', '2', '3', '4', '5'].map(hash);
      const referenced = async (expiry: Parameters<CallStore['countExpired']>[0]) =>
        [...(await store.referencedBlobs(all, expiry))].map((one) => one[0]).toSorted();

      it('goes, and nothing else; and what it refers to is told apart', async () => {
        const oldCall = call(OLD, hash('0'));
        const youngCall = call(YOUNG, hash('1'));
        const oldUpload = upload(OLD, hash('2'));
        const youngUpload = upload(YOUNG, hash('3'));
        // The same bytes under an old and a young name.
        const [first, second] = [upload(OLD, hash('4')), call(YOUNG, hash('4'))];
        for (const one of [oldCall, youngCall, second]) await store.saveCall(one);
        for (const one of [oldUpload, youngUpload, first]) await store.saveResource(one);

        expect(await store.countExpired(NOTHING)).toEqual({ results: 0, records: 0, resources: 0 });
        expect(await store.removeExpired(NOTHING, 100)).toEqual({ results: 0, records: 0, resources: 0 });
        expect(await referenced(NOTHING)).toEqual(['0', '1', '2', '3', '4']);

        const uploads = { ...NOTHING, uploads: CUT };
        expect(await referenced(uploads)).toEqual(['0', '1', '3', '4']);
        expect(await store.countExpired(uploads)).toEqual({ results: 0, records: 0, resources: 2 });
        expect(await store.removeExpired(uploads, 100)).toEqual({ results: 0, records: 0, resources: 2 });
        expect(await store.getResource(oldUpload.descriptor.id)).toBeNull();
        expect(await store.getResource(youngUpload.descriptor.id)).not.toBeNull();

        const results = { ...NOTHING, results: CUT };
        expect(await referenced(results)).toEqual(['1', '3', '4']);
        expect(await store.countExpired(results)).toEqual({ results: 1, records: 0, resources: 1 });
        expect(await store.removeExpired(results, 100)).toEqual({ results: 1, records: 0, resources: 1 });
        expect(await store.getResult(oldCall.result.id)).toBeNull();
        expect(await store.getResource(oldCall.result.resources[0]!.id)).toBeNull();
        expect(await store.getRecord(oldCall.record!.id)).not.toBeNull();
        expect(await store.getResult(youngCall.result.id)).not.toBeNull();

        const records = { ...NOTHING, records: CUT };
        expect(await store.countExpired(records)).toEqual({ results: 0, records: 1, resources: 0 });
        expect(await store.removeExpired(records, 100)).toEqual({ results: 0, records: 1, resources: 0 });
        expect(await store.getRecord(oldCall.record!.id)).toBeNull();
        expect(await store.countExpired({ results: CUT, records: CUT, uploads: CUT })).toEqual({
          results: 0,
          records: 0,
          resources: 0,
        });
        expect(await referenced(NOTHING)).toEqual(['1', '3', '4']);
      });

      it('goes a part at a time', async () => {
        for (let index = 0; index < 5; index += 1) await store.saveResource(upload(OLD, hash('5')));
        let removed = 0;
        for (let round = 0; round < 5 && removed < 5; round += 1) {
          const { resources } = await store.removeExpired({ ...NOTHING, uploads: CUT }, 2);
          expect(resources).toBeGreaterThan(0);
          removed += resources;
        }
        expect(removed).toBe(5);
      });

      it('is asked about by no hash at all, too', async () => {
        expect(await store.referencedBlobs([], NOTHING)).toEqual(new Set());
        const many = Array.from({ length: 500 }, (_, index) => String(index).padStart(64, 'e'));
        expect(await store.referencedBlobs(many, NOTHING)).toEqual(new Set());
      });
    });
  });
};
