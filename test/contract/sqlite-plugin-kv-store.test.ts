import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSqlPluginKvStore } from '../../adapters/sql/sql-plugin-kv-store.ts';
import { openSqliteDatabase } from '../../adapters/sqlite/sqlite-database.ts';
import { describePluginKvStore } from './suites/plugin-kv-store.ts';

const openIn = async (directory: string) => {
  const { db, writer, close } = await openSqliteDatabase(join(directory, 'vcp.sqlite'));
  return { store: createSqlPluginKvStore(db, writer), close };
};

describePluginKvStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-kv-'));
  const { store, close } = await openIn(directory);
  return {
    store,
    close: async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

it('has the values of plugins after a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-kv-'));
  const before = await openIn(directory);
  expect(await before.store.set('Sample', 'a', '{"kept":true}', 1_000)).toBe(true);
  await before.close();
  const after = await openIn(directory);
  expect(await after.store.get('Sample', 'a')).toBe('{"kept":true}');
  // What was kept before counts.
  expect(await after.store.set('Sample', 'b', '1', 200)).toBe(false);
  await after.close();
  rmSync(directory, { recursive: true, force: true });
});

it('holds the limit between two servers on one file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vcp-test-kv-'));
  const servers = [await openIn(directory), await openIn(directory)] as const;
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      servers[index % 2 === 0 ? 0 : 1].store.set('Sample', `${index + 10}`, '1', 1_310),
    ),
  );
  expect(taken.filter(Boolean)).toHaveLength(10);
  await Promise.all(servers.map(({ close }) => close()));
  rmSync(directory, { recursive: true, force: true });
}, 60_000);
