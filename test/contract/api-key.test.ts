import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSingleKeyAuthenticator, obtainApiKey } from '../../adapters/node/api-key.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-key-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('is made once, however many servers start in the same moment', async () => {
  const keys = await Promise.all(Array.from({ length: 40 }, () => obtainApiKey(undefined, directory)));
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^vcp_[\w-]{43}$/);
  expect(readdirSync(directory)).toEqual(['api-key']);
  expect(statSync(join(directory, 'api-key')).mode & 0o777).toBe(0o600);
});

it('is the configured one when there is one, and no file is made then', async () => {
  expect(await obtainApiKey('configured-by-hand', directory)).toBe('configured-by-hand');
  expect(readdirSync(directory)).toEqual([]);
});

it('is not made up when the file holds none', async () => {
  writeFileSync(join(directory, 'api-key'), '\n');
  await expect(obtainApiKey(undefined, directory)).rejects.toThrow('holds no usable key');
});

it('opens the server to itself alone', async () => {
  const key = await obtainApiKey(undefined, directory);
  const { authenticate } = createSingleKeyAuthenticator(key);
  expect(await authenticate(key)).toMatchObject({ id: 'key_default' });
  for (const wrong of ['', key.slice(0, -1), `${key}x`, key.toUpperCase(), ` ${key}`])
    expect(await authenticate(wrong)).toBeNull();
});
