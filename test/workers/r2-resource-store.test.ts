import { createHash } from 'node:crypto';
import { env } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createR2ResourceStore } from '../../adapters/r2/r2-resource-store.ts';
import type { R2BucketLike } from '../../adapters/r2/r2-bucket.ts';
import { describeResourceStore, sha256, streamOf } from '../contract/suites/resource-store.ts';

const bucket = env.RESOURCES;

const newHash = () => {
  const hash = createHash('sha256');
  return { update: (bytes: Uint8Array) => void hash.update(bytes), digest: async () => new Uint8Array(hash.digest()) };
};
const open = () => createR2ResourceStore({ bucket, newHash, newName: () => crypto.randomUUID() });

const keys = async (prefix: string) => (await bucket.list({ prefix })).objects.map(({ key }) => key);

describeResourceStore('R2', async () => ({ store: open(), close: () => Promise.resolve() }));

describe('a bucket of blobs', () => {
  it('takes a stream of several parts, and leaves nothing beside its place', async () => {
    const bytes = new Uint8Array(20 * 1024 * 1024 + 5);
    for (let at = 0; at < bytes.length; at += 4_096) bytes[at] = at / 4_096;
    const store = open();
    const blob = await store.put(streamOf(bytes, 100_000), { maxBytes: bytes.length });
    expect(blob).toEqual({ sha256: sha256(bytes), sizeBytes: bytes.length });
    const part = await store.get(blob.sha256, { start: 8 * 1024 * 1024 - 1, end: 8 * 1024 * 1024 + 4_096 });
    expect(new Uint8Array(await new Response(part).arrayBuffer())).toEqual(
      bytes.slice(8 * 1024 * 1024 - 1, 8 * 1024 * 1024 + 4_097),
    );
    expect([...(await keys('incoming/')), ...(await keys('aside/'))]).toEqual([]);
  });

  it('takes a stream that fills its parts exactly', async () => {
    const bytes = new Uint8Array(16 * 1024 * 1024);
    expect(await open().put(streamOf(bytes, 1024 * 1024), { maxBytes: bytes.length })).toEqual({
      sha256: sha256(bytes),
      sizeBytes: bytes.length,
    });
  });

  it.each([
    ['breaks off', (bytes: Uint8Array) => streamOf(bytes, 1024 * 1024, 9), Infinity],
    ['is over the limit', (bytes: Uint8Array) => streamOf(bytes, 1024 * 1024), 9 * 1024 * 1024],
  ])('leaves nothing of a stream of several parts that %s', async (_what, source, maxBytes) => {
    const bytes = new Uint8Array(12 * 1024 * 1024).fill(7);
    await expect(open().put(source(bytes), { maxBytes })).rejects.toThrow();
    expect(await keys('incoming/')).toEqual([]);
    expect(await open().stat(sha256(bytes))).toBeNull();
  });

  it('loses nothing that is kept at any moment of a collection', async () => {
    const store = open();
    const bytes = new TextEncoder().encode('kept while it is collected');
    for (let pause = 0; pause < 12; pause += 1) {
      const { sha256: hash } = await store.put(bytes, { maxBytes: 100 });
      await new Promise((later) => setTimeout(later, 5));
      // The keeper comes in between the steps of the collector, one step later each time.
      const waits = slowed(bucket, pause, () => store.keep(hash));
      const collected = await createR2ResourceStore({ bucket: waits.bucket, newHash, newName: () => 'x' }).collect(
        hash,
        Date.now() + 1,
      );
      const kept = await waits.told;
      if (kept === true) expect(await store.stat(hash)).not.toBeNull();
      else if (kept === false) expect(collected).toBe(true);
    }
  });

  it('finds a blob that a collector left aside when it died', async () => {
    const store = open();
    const bytes = new TextEncoder().encode('left aside');
    const { sha256: hash } = await store.put(bytes, { maxBytes: 100 });
    await bucket.put(`aside/${hash}`, bytes);
    await bucket.delete(`blobs/${hash}`);
    expect(await store.stat(hash)).toEqual({ sha256: hash, sizeBytes: bytes.length });
    expect(await new Response(await store.get(hash)).text()).toBe('left aside');
    expect(await store.keep(hash)).toBe(true);
    expect(await keys('blobs/')).toContain(`blobs/${hash}`);
  });

  it.each(['../../etc/passwd', '', 'A'.repeat(64), `${'a'.repeat(63)}/`])('makes no key of %j', async (given) => {
    await expect(open().get(given)).rejects.toThrow('not a SHA-256');
  });
});

/** A bucket that does something once, before its step of the given number. */
const slowed = (inner: R2BucketLike, step: number, act: () => Promise<boolean>) => {
  let left = step;
  let told: Promise<boolean> | null = null;
  const before = async () => {
    left -= 1;
    if (left === -1) {
      told = act();
      await told;
    }
  };
  const wrapped: R2BucketLike = {
    head: async (key) => (await before(), await inner.head(key)),
    get: async (key, options) => (await before(), await inner.get(key, options)),
    put: async (key, value, options) => (await before(), await inner.put(key, value, options)),
    delete: async (names) => (await before(), await inner.delete(names)),
    list: (options) => inner.list(options),
    createMultipartUpload: (key) => inner.createMultipartUpload(key),
  };
  return {
    bucket: wrapped,
    get told() {
      return told;
    },
  };
};
