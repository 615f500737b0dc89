// §19.1 with real processes: what a plugin may have published from the file system, and what not.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeUnharmed, detailsOf, ECHO, SUCCESS, verdictOf } from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';

const plugin = { command: 'node', args: ['resources.mjs'] } as const;
const outside = mkdtempSync(join(tmpdir(), 'vcp-test-outside-'));
const secret = join(outside, 'secret.txt');

let host: NodeRuntime;
beforeAll(async () => {
  writeFileSync(secret, 'the content of a file outside');
  host = await openNodeRuntime(
    [ECHO, { name: 'Files', ...plugin }, { name: 'Keeps', ...plugin, more: { resourceRoot: 'pictures' } }],
    { store: 'sqlite' },
  );
});
afterAll(async () => {
  await closeUnharmed(host);
  rmSync(outside, { recursive: true, force: true });
});

const bytesOf = async (sha256: string): Promise<Buffer> => {
  const stream = await host.blobs.get(sha256);
  return Buffer.from(await new Response(stream).arrayBuffer());
};

describe('a file in the directory of the call', () => {
  it.each(['picture', 'nested'])('is published with its facts: %s', async (how) => {
    const result = await host.call('Files', { how, secret });
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect(result.resources).toHaveLength(1);
    const [resource] = result.resources;
    expect(resource).toMatchObject({
      kind: 'image',
      mimeType: 'image/png',
      fileName: 'picture.png',
      role: 'output',
      dimensions: { width: 2, height: 3 },
      access: { type: 'managed' },
    });
    expect(result.data).toEqual({ file: { $resource: resource!.id }, directory: null });
    const bytes = await bytesOf(resource!.sha256!);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.length).toBe(resource!.sizeBytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(resource!.sha256);
    expect(await host.calls.getResource(resource!.id)).toMatchObject({ owner: 'tester', resultId: result.id });
  });

  it('outlives the directory, which is removed after the call', async () => {
    const result = await host.call('Files', { how: 'picture', secret, tellDirectory: true });
    const { directory } = result.data as unknown as { directory: string };
    expect(directory).toBe(join(host.dataDirectory, 'calls', result.execution.invocationId));
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(join(host.dataDirectory, 'calls'))).toEqual([]);
    expect((await bytesOf(result.resources[0]!.sha256!)).length).toBeGreaterThan(0);
  });

  it('may stand in a folder of the plugin that the manifest names, and stays there', async () => {
    const result = await host.call('Keeps', { how: 'picture', secret, tellDirectory: true });
    expect(verdictOf(result)).toEqual(SUCCESS);
    const { directory } = result.data as unknown as { directory: string };
    expect(directory).toBe(join(host.dataDirectory, 'plugins', 'Keeps', 'pictures'));
    expect(readdirSync(directory)).toEqual(['picture.png']);
  });
});

describe('a path that leads out of it', () => {
  it.each(['parent', 'absolute', 'absolute-inside', 'link', 'directory-link'])('is forbidden: %s', async (how) => {
    const result = await host.call('Files', { how, secret });
    expect(verdictOf(result)).toEqual({ status: 'error', code: 'FORBIDDEN', category: 'authorization' });
    expect(detailsOf(result)).toMatchObject({ pointer: '/resources/0/localPath' });
    expect(result.error?.target).toBe('resources.0.localPath');
    expect(result.resources).toEqual([]);
    // The caller named the place itself, and that is noted; nothing else of the result tells it.
    expect(result.extensions).toEqual({ 'vcp.caller': { gave: [secret] } });
    const answer = JSON.stringify({ ...result, extensions: {} });
    expect(answer).not.toContain(host.dataDirectory);
    expect(answer).not.toContain(outside);
    expect(answer).not.toContain('the content of a file outside');
    expect(
      await host.blobs.stat(createHash('sha256').update('the content of a file outside').digest('hex')),
    ).toBeNull();
    expect(readdirSync(join(host.dataDirectory, 'calls')).filter((name) => name.startsWith('ti_'))).toEqual([]);
    rmSync(join(host.dataDirectory, 'calls', 'beside.txt'), { force: true });
  });

  it.each(['fifo', 'directory'])('to something other than a file is forbidden, without waiting: %s', async (how) => {
    const result = await host.call('Files', { how, secret });
    expect(verdictOf(result)).toEqual({ status: 'error', code: 'FORBIDDEN', category: 'authorization' });
    expect(detailsOf(result)).toMatchObject({ pointer: '/resources/0/localPath' });
    expect(result.execution.durationMs).toBeLessThan(5_000);
  });

  it.each(['missing', 'long-name'])('to nothing is said to be missing: %s', async (how) => {
    const result = await host.call('Files', { how, secret });
    expect(verdictOf(result)).toEqual({ status: 'error', code: 'FILE_NOT_FOUND', category: 'dependency' });
    expect(detailsOf(result)).toMatchObject({ pointer: '/resources/0/localPath' });
  });
});
