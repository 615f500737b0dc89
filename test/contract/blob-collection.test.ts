// A store of files that is collected by another process while the same bytes are put, kept and read in this one.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFsResourceStore } from '../../adapters/fs/fs-resource-store.ts';
import { repositoryRoot } from '../support/manifest.ts';

const ROUNDS = 400;
const LONG_AGO = 1_000_000;

let root: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-collection-')));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(root, { recursive: true, force: true });
});

const pathOf = (hash: string) => join(root, hash.slice(0, 2), hash.slice(2, 4), hash);
const ignore = () => undefined;

const startCollector = async (touchedBefore: number, hashes: readonly string[]) => {
  const script = join(repositoryRoot, 'test', 'fixtures', 'collect-blobs.mjs');
  const child = spawn(process.execPath, [script, root, String(touchedBefore), ...hashes], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!output.startsWith('ready')) await once(child.stdout, 'data');
  return { child, removed: () => output.split('\n').length - 2 };
};

/** Makes a blob as old as one that nobody has touched for long, if it is there. */
const age = (hash: string) => {
  try {
    utimesSync(pathOf(hash), LONG_AGO, LONG_AGO);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
};

const contents = Array.from({ length: 3 }, () => randomBytes(20_000));
const hashes = contents.map((bytes) => createHash('sha256').update(bytes).digest('hex'));

it('loses nothing that is put or kept while another process collects', { timeout: 120_000 }, async () => {
  const store = await createFsResourceStore(root);
  const read = async (hash: string) => {
    const stream = await store.get(hash);
    return stream === null ? null : Buffer.from(await new Response(stream).arrayBuffer());
  };
  const touchedBefore = Date.now() - 60_000;
  const collectors = await Promise.all([startCollector(touchedBefore, hashes), startCollector(touchedBefore, hashes)]);
  let kept = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const index = round % hashes.length;
    const [hash, bytes] = [hashes[index]!, contents[index]!];
    age(hash);
    if (round % 2 === 0) {
      await Promise.all([store.put(bytes, { maxBytes: 100_000 }), store.put(bytes, { maxBytes: 100_000 })]);
    } else if (!(await store.keep(hash))) continue;
    else kept += 1;
    expect(await store.stat(hash)).toEqual({ sha256: hash, sizeBytes: bytes.length });
    expect((await read(hash))?.equals(bytes)).toBe(true);
  }
  // Otherwise there was nothing to withstand.
  expect(collectors.reduce((sum, { removed }) => sum + removed(), 0)).toBeGreaterThan(20);
  expect(kept).toBeGreaterThan(0);
});

it('is usable after collectors were killed in the middle', { timeout: 120_000 }, async () => {
  const store = await createFsResourceStore(root);
  const touchedBefore = Date.now() - 60_000;
  for (let life = 0; life < 5; life += 1) {
    const { child } = await startCollector(touchedBefore, hashes);
    for (let round = 0; round < 60; round += 1) {
      const index = round % hashes.length;
      age(hashes[index]!);
      await store.put(contents[index]!, { maxBytes: 100_000 });
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    const anew = await createFsResourceStore(root);
    for (const [index, hash] of hashes.entries()) {
      expect((await anew.stat(hash))?.sizeBytes).toBe(contents[index]!.length);
    }
    expect(readdirSync(join(root, 'aside'))).toEqual([]);
  }
});

it('has again what a collector had moved aside when it was killed', async () => {
  const store = await createFsResourceStore(root);
  const { sha256 } = await store.put(contents[0]!, { maxBytes: 100_000 });
  rmSync(pathOf(sha256));
  writeFileSync(join(root, 'aside', `${sha256}.x`), contents[0]!);
  // It is found there already, and kept from there.
  expect((await store.stat(sha256))?.sizeBytes).toBe(contents[0]!.length);
  expect(await store.keep(sha256)).toBe(true);
  rmSync(pathOf(sha256));
  const anew = await createFsResourceStore(root);
  expect((await anew.stat(sha256))?.sizeBytes).toBe(contents[0]!.length);
  expect(readdirSync(join(root, 'aside'))).toEqual([]);
  await anew
    .get(sha256)
    .then((stream) => stream?.cancel())
    .catch(ignore);
});
