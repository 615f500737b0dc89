// Files among the arguments, with real processes: what a program finds in its directory, and what it can do to it.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeUpload } from '../../../src/resources/describe-upload.ts';
import type { ResourceDescriptor } from '../../../src/protocol/resource.ts';
import { closeUnharmed, ECHO, SUCCESS, verdictOf } from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';

const RESOURCE = { $ref: 'urn:vcp:schema:1.0:resource-input' };
const plugin = {
  command: 'node',
  args: ['inputs.mjs'],
  inputSchema: { type: 'object', properties: { file: RESOURCE, files: { type: 'array', items: RESOURCE } } },
} as const;

let host: NodeRuntime;
beforeAll(async () => {
  host = await openNodeRuntime([
    ECHO,
    { name: 'Reads', ...plugin },
    { name: 'Keeps', ...plugin, more: { resourceRoot: 'out' } },
    { name: 'Slow', ...plugin, command: 'sh', args: ['-c', 'sleep 600'] },
  ]);
});
afterAll(() => closeUnharmed(host));

const upload = async (text: string, fileName: string, owner = 'tester'): Promise<ResourceDescriptor> => {
  const blob = await host.blobs.put(new TextEncoder().encode(text), { maxBytes: 1_000_000 });
  const given = { fileName, mimeType: null, sourceType: 'upload' };
  const descriptor = await describeUpload(blob, given, {
    store: host.blobs,
    ids: host.ids,
    urlOf: host.addresses.urlOf,
  });
  await host.calls.saveResource({ descriptor, owner, resultId: null, createdAt: '2026-11-30T12:00:00.000Z' });
  return descriptor;
};
const textOf = async ({ sha256 }: ResourceDescriptor) => new Response(await host.blobs.get(sha256!)).text();

describe('a program', () => {
  it('finds a file under its name in its directory, and is told what it is', async () => {
    const { id } = await upload('meow', '月 的 "cat".txt');
    const result = await host.call('Reads', { file: id });
    expect(verdictOf(result)).toEqual(SUCCESS);
    const { arguments: given, ...seen } = result.data as { arguments: string };
    expect({ arguments: JSON.parse(given) as unknown, ...seen }).toEqual({
      arguments: {
        file: {
          $resource: id,
          fileName: '月 的 "cat".txt',
          mimeType: 'text/plain',
          sizeBytes: 4,
          localPath: expect.stringMatching(/^\.vcp-inputs-\w{6}\/1\/月 的 _cat_\.txt$/),
        },
      },
      seen: [{ text: 'meow', length: 4, mode: '400' }],
      same: null,
    });
  });

  it('finds several, those of one name too', async () => {
    const one = await upload('1', 'same.txt');
    const two = await upload('2', 'same.txt');
    const result = await host.call('Reads', {
      file: one.url,
      files: [{ $resource: two.id }, 'data:text/plain,3', one.id],
    });
    expect((result.data as { seen: { text: string }[] }).seen.map(({ text }) => text)).toEqual(['1', '2', '3', '1']);
  });

  it('spoils nothing but its own copy', async () => {
    const descriptor = await upload(`precious ${randomUUID()}`, 'a.txt');
    const before = await textOf(descriptor);
    expect(verdictOf(await host.call('Reads', { file: descriptor.id, spoil: true }))).toEqual(SUCCESS);
    expect(await textOf(descriptor)).toBe(before);
  });

  it('may give back what it was given', async () => {
    const { id, sha256 } = await upload('same', 'a.txt');
    const result = await host.call('Reads', { file: id, giveBack: true });
    expect(result.resources).toMatchObject([{ sha256, fileName: 'a.txt' }]);
  });

  it.each(['Reads', 'Keeps'])('leaves no file of its arguments behind: %s', async (tool) => {
    const { id } = await upload('gone', 'a.txt');
    const result = await host.call(tool, { file: id });
    expect((result.data as { seen: unknown[] }).seen).toHaveLength(1);
    expect(readdirSync(join(host.dataDirectory, 'calls'))).toEqual([]);
    const kept = join(host.dataDirectory, 'plugins', 'Keeps', 'out');
    expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([]);
  });

  it('finds nothing that a server which was killed long ago has left to one', async () => {
    const { id } = await upload('gone', 'a.txt');
    const out = join(host.dataDirectory, 'plugins', 'Keeps', 'out');
    for (const name of ['.vcp-inputs-oldone', '.vcp-inputs-newone', 'inputs-own'])
      mkdirSync(join(out, name), { recursive: true });
    const longAgo = Date.now() / 1_000 - 2 * 24 * 60 * 60;
    for (const name of ['.vcp-inputs-oldone', 'inputs-own']) utimesSync(join(out, name), longAgo, longAgo);
    expect(verdictOf(await host.call('Keeps', { file: id }))).toEqual(SUCCESS);
    expect(readdirSync(out).toSorted()).toEqual(['.vcp-inputs-newone', 'inputs-own']);
    rmSync(out, { recursive: true });
  });

  it('leaves none behind when its time is over either', async () => {
    const { id } = await upload('gone', 'a.txt');
    expect((await host.call('Slow', { file: id }, { timeoutMs: 300 })).status).toBe('timeout');
    expect(readdirSync(join(host.dataDirectory, 'calls'))).toEqual([]);
  });
});
