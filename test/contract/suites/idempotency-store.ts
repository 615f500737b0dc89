import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallStore, FinishedCall } from '../../../src/ports/call-store.ts';
import type { IdempotencyStore, KeyClaim } from '../../../src/ports/idempotency-store.ts';
import { sampleCall, sampleIds } from '../../support/sample-calls.ts';

/** A store, and the call store that writes what the end of a call means for its key. */
export type OpenIdempotencyStore = {
  readonly keys: IdempotencyStore;
  readonly calls: CallStore;
  close(): Promise<void>;
};

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const LEASE_MS = 15_000;
const DAY_MS = 86_400_000;

/** What every idempotency store does. `open` gives an empty one. */
export const describeIdempotencyStore = (name: string, open: () => Promise<OpenIdempotencyStore>): void => {
  describe(`idempotency store: ${name}`, () => {
    let opened: OpenIdempotencyStore;
    let keys: IdempotencyStore;
    let calls: CallStore;
    beforeAll(async () => {
      opened = await open();
      ({ keys, calls } = opened);
    });
    afterAll(() => opened.close());

    let made = 0;
    const newClaim = (changes: Partial<KeyClaim> = {}): KeyClaim => {
      made += 1;
      const claimedAt = changes.claimedAt ?? NOW;
      return {
        owner: 'owner',
        key: `key ${made}`,
        fingerprint: 'a'.repeat(64),
        invocationId: sampleIds.next('invocation'),
        claimedBy: 'test',
        claimedAt,
        leaseUntil: claimedAt + LEASE_MS,
        expiresAt: claimedAt + LEASE_MS + DAY_MS,
        isRepeatable: false,
        resultId: null,
        ...changes,
      };
    };
    const again = (claim: KeyClaim, changes: Partial<KeyClaim> = {}) =>
      newClaim({ owner: claim.owner, key: claim.key, ...changes });
    const claimed = async (changes: Partial<KeyClaim> = {}) => {
      const claim = newClaim(changes);
      expect(await keys.claim(claim)).toBe(true);
      return claim;
    };
    /** The end of the call that a claim stands for. */
    const finish = (claim: KeyClaim, keptUntil: number | null): FinishedCall => {
      const call = sampleCall({ owner: claim.owner, record: { invocationId: claim.invocationId } });
      const execution = { ...call.result.execution, invocationId: claim.invocationId };
      return { ...call, result: { ...call.result, execution }, idempotency: { key: claim.key, keptUntil } };
    };

    describe('a key', () => {
      it('is taken once, and tells who holds it', async () => {
        const claim = await claimed();
        expect(await keys.claim(again(claim))).toBe(false);
        expect(await keys.find('owner', claim.key)).toEqual(claim);
      });

      it('is given to one of many that ask at once', async () => {
        const first = newClaim();
        const claims = [first, ...Array.from({ length: 19 }, () => again(first))];
        const taken = await Promise.all(claims.map((claim) => keys.claim(claim)));
        expect(taken.filter(Boolean)).toHaveLength(1);
        expect(await keys.find('owner', first.key)).toEqual(claims[taken.indexOf(true)]);
      });

      it('is another key of another owner', async () => {
        const mine = await claimed();
        const theirs = await claimed({ owner: 'another', key: mine.key, fingerprint: 'b'.repeat(64) });
        expect(await keys.find('owner', mine.key)).toEqual(mine);
        expect(await keys.find('another', mine.key)).toEqual(theirs);
      });

      it('is kept as it is: case, spaces, quotes, 255 characters', async () => {
        for (const key of ['Key', 'key', ' key', "' OR 1=1 --", '%', '__proto__', '"\\', '~'.repeat(255)]) {
          const claim = await claimed({ key });
          expect(await keys.find('owner', key)).toEqual(claim);
        }
      });

      it.each([true, false])('tells whether its call may be repeated: %s', async (isRepeatable) => {
        const claim = await claimed({ isRepeatable });
        expect((await keys.find('owner', claim.key))?.isRepeatable).toBe(isRepeatable);
        const heir = again(claim, { claimedAt: claim.leaseUntil, isRepeatable: !isRepeatable });
        await keys.takeOver(heir, claim.invocationId);
        expect((await keys.find('owner', claim.key))?.isRepeatable).toBe(!isRepeatable);
      });

      it('that nobody took is null', async () => {
        expect(await keys.find('owner', 'never')).toBeNull();
        expect(await keys.find('nobody', 'key 1')).toBeNull();
      });

      it('may be kept for ever', async () => {
        const claim = await claimed({ expiresAt: Number.MAX_SAFE_INTEGER });
        expect(await keys.claim(again(claim, { claimedAt: NOW + 1_000 * DAY_MS }))).toBe(false);
        await calls.saveCall(finish(claim, Number.MAX_SAFE_INTEGER));
        expect(await keys.claim(again(claim, { claimedAt: NOW + 1_000 * DAY_MS }))).toBe(false);
      });

      it('is free again once it expired, not before', async () => {
        const claim = await claimed();
        expect(await keys.claim(again(claim, { claimedAt: claim.expiresAt - 1 }))).toBe(false);
        const next = again(claim, { claimedAt: claim.expiresAt, fingerprint: 'c'.repeat(64) });
        expect(await keys.claim(next)).toBe(true);
        expect(await keys.find('owner', claim.key)).toEqual(next);
      });
    });

    describe('a sign of life', () => {
      it('moves the lease and the expiry on', async () => {
        const claim = await claimed();
        const until = { leaseUntil: claim.leaseUntil + 5_000, expiresAt: claim.expiresAt + 5_000 };
        expect(await keys.extend(claim, until)).toBe(true);
        expect(await keys.find('owner', claim.key)).toEqual({ ...claim, ...until });
      });

      it('counts no more when the key has another holder, or a result', async () => {
        const lost = await claimed();
        const heir = again(lost, { claimedAt: lost.leaseUntil });
        await keys.takeOver(heir, lost.invocationId);
        expect(await keys.extend(lost, { leaseUntil: NOW, expiresAt: NOW })).toBe(false);
        expect(await keys.find('owner', lost.key)).toEqual(heir);

        const ended = await claimed();
        await calls.saveCall(finish(ended, NOW + DAY_MS));
        expect(await keys.extend(ended, { leaseUntil: NOW, expiresAt: NOW })).toBe(false);
        expect((await keys.find('owner', ended.key))?.expiresAt).toBe(NOW + DAY_MS);
      });
    });

    describe('a key whose holder was lost', () => {
      it('is taken over when the lease has run out, not before', async () => {
        const claim = await claimed();
        const early = again(claim, { claimedAt: claim.leaseUntil - 1 });
        expect(await keys.takeOver(early, claim.invocationId)).toBe(false);
        const heir = again(claim, { claimedAt: claim.leaseUntil });
        expect(await keys.takeOver(heir, claim.invocationId)).toBe(true);
        expect(await keys.find('owner', claim.key)).toEqual(heir);
      });

      it('is taken over by one of many', async () => {
        const claim = await claimed();
        const heirs = Array.from({ length: 10 }, () => again(claim, { claimedAt: claim.leaseUntil }));
        const taken = await Promise.all(heirs.map((heir) => keys.takeOver(heir, claim.invocationId)));
        expect(taken.filter(Boolean)).toHaveLength(1);
      });

      it('is not taken from one that has given a sign, or has a result', async () => {
        const alive = await claimed();
        await keys.extend(alive, { leaseUntil: alive.leaseUntil + 1, expiresAt: alive.expiresAt });
        const late = again(alive, { claimedAt: alive.leaseUntil });
        expect(await keys.takeOver(late, alive.invocationId)).toBe(false);

        const ended = await claimed();
        await calls.saveCall(finish(ended, NOW + DAY_MS));
        const heir = again(ended, { claimedAt: ended.leaseUntil });
        expect(await keys.takeOver(heir, ended.invocationId)).toBe(false);
      });
    });

    describe('the end of a call', () => {
      it('leaves its result under the key, for as long as it says', async () => {
        const claim = await claimed();
        const call = finish(claim, NOW + 1_000);
        await calls.saveCall(call);
        const expected = { ...claim, resultId: call.result.id, expiresAt: NOW + 1_000 };
        expect(await keys.find('owner', claim.key)).toEqual(expected);
        expect(await keys.claim(again(claim, { claimedAt: NOW + 999 }))).toBe(false);
        expect(await keys.claim(again(claim, { claimedAt: NOW + 1_000 }))).toBe(true);
      });

      it('frees the key of a call that never ran, and keeps its result', async () => {
        const claim = await claimed();
        const call = finish(claim, null);
        await calls.saveCall(call);
        expect(await keys.find('owner', claim.key)).toBeNull();
        expect(await calls.getResult(call.result.id)).not.toBeNull();
      });

      it('changes nothing for a holder that took over, and is kept all the same', async () => {
        for (const keptUntil of [NOW + DAY_MS, null]) {
          const lost = await claimed();
          const heir = again(lost, { claimedAt: lost.leaseUntil });
          await keys.takeOver(heir, lost.invocationId);
          const call = finish(lost, keptUntil);
          await calls.saveCall(call);
          expect(await keys.find('owner', lost.key)).toEqual(heir);
          expect(await calls.getResult(call.result.id)).not.toBeNull();
        }
      });

      it('that cannot be stored leaves the key as it was', async () => {
        const claim = await claimed();
        const first = sampleCall();
        await calls.saveCall(first);
        const call = finish(claim, NOW + DAY_MS);
        const clash = { ...call, result: { ...call.result, id: first.result.id } };
        await expect(calls.saveCall(clash)).rejects.toThrow();
        expect(await keys.find('owner', claim.key)).toEqual(claim);
      });
    });

    describe('expired keys', () => {
      const LONG_AGO = Date.parse('2001-01-01T00:00:00.000Z');
      it('are removed a batch at a time, and no others', async () => {
        const claims = [];
        for (let index = 0; index < 25; index += 1)
          claims.push(await claimed({ claimedAt: LONG_AGO, expiresAt: LONG_AGO + index }));
        const young = await claimed();
        const end = LONG_AGO + 24;
        expect(await keys.removeExpired(LONG_AGO - 1, 10)).toBe(0);
        const removed = [];
        for (let round = 0; round < 4; round += 1) removed.push(await keys.removeExpired(end - 2, 10));
        expect(removed).toEqual([10, 10, 3, 0]);
        const left = await Promise.all(claims.map(({ key }) => keys.find('owner', key)));
        expect(left.filter((claim) => claim !== null).map(({ expiresAt }) => expiresAt)).toEqual([end - 1, end]);
        expect(await keys.find('owner', young.key)).toEqual(young);
      });
    });
  });
};
