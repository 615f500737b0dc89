import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSqlApprovalStore } from '../../adapters/sql/sql-approval-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { APPROVAL_NOW, sampleApproval } from '../support/sample-approvals.ts';
import { sampleIds } from '../support/sample-calls.ts';
import { describeApprovalStore } from './suites/approval-store.ts';

describeApprovalStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-approvals-'));
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  return {
    approvals: createSqlApprovalStore(db, writer),
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

it('lets no more wait than may, also where several connections ask in the same moment', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-approvals-'));
  const file = join(directory, 'vcp.sqlite');
  const databases = [await openSqliteDatabase(file), await openSqliteDatabase(file)];
  const stores = databases.map(({ db, writer }) => createSqlApprovalStore(db, writer));
  const asked = Array.from(
    { length: 20 },
    async (_, n) => await stores[n % 2]?.create(sampleApproval({ owner: 'busy' }), 7),
  );
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(7);
  const { approvals = [] } = (await stores[0]?.list({ owner: 'busy', limit: 100 })) ?? {};
  expect(approvals).toHaveLength(7);
  await Promise.all(databases.map(({ close }) => close()));
  rmSync(directory, { recursive: true, force: true });
});

it('gives each approval to one of several connections that would use it in the same moment', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-approvals-'));
  const file = join(directory, 'vcp.sqlite');
  const databases = [await openSqliteDatabase(file), await openSqliteDatabase(file), await openSqliteDatabase(file)];
  const stores = databases.map(({ db, writer }) => createSqlApprovalStore(db, writer));
  const at = APPROVAL_NOW + 1_000;
  for (let round = 0; round < 20; round += 1) {
    const approval = sampleApproval({ heldBy: null, leaseUntil: null, taskId: sampleIds.next('task') });
    const { id, hash } = approval;
    await stores[0]?.create(approval, 100);
    const decisions = stores.map((store, n) =>
      store.decide(id, { state: 'approved', by: `server ${n}`, reason: null, at, usableUntil: at + 60_000 }),
    );
    expect((await Promise.all(decisions)).filter(Boolean)).toHaveLength(1);
    const uses = stores.map(async (store, n) => {
      const hold = { by: `server ${n}`, at, leaseUntil: at + 1_000 };
      return (await store.hold(id, hold)) && (await store.consume(id, { ...hold, hash }));
    });
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
  }
  await Promise.all(databases.map(({ close }) => close()));
  rmSync(directory, { recursive: true, force: true });
});
