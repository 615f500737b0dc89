// Files that callers give to a sandboxed plugin: it reads those of its call, by parts, and no others.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildPlugin } from '../../adapters/node/plugin-build/build-plugin.ts';
import type { ResourceDescriptor } from '../../src/protocol/resource.ts';
import { manifestOf } from '../support/manifest.ts';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const SOURCE = `
import { plugin, resources } from 'vcp-plugin';

export default plugin({
  Run: ({ file, from, other }) => {
    const { bytes, size, mimeType } = resources.read(other?.replace('|', '') ?? file.$resource, { offset: from, length: 5 });
    return { data: { told: [file.fileName, file.mimeType, file.sizeBytes], text: new TextDecoder().decode(bytes), size, mimeType } };
  },
});
`;

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const folder = join(home.plugins, 'Reads');
  mkdirSync(join(folder, 'src'), { recursive: true });
  const inputSchema = {
    type: 'object',
    properties: {
      file: { $ref: 'urn:vcp:schema:1.0:resource-input', 'x-resource': { kinds: ['text'], maxBytes: 100 } },
      from: { type: 'integer' },
      other: { type: 'string' },
    },
    required: ['file', 'from'],
  };
  const more = {
    entryPoint: { type: 'wasm', file: 'plugin.wasm' },
    communication: { protocol: 'direct' },
    permissions: { resources: ['read'] },
  };
  writeFileSync(join(folder, 'src', 'index.ts'), SOURCE);
  writeFileSync(
    join(folder, 'plugin-manifest.json'),
    JSON.stringify(manifestOf({ name: 'Reads', inputSchema, more, commandMore: { examples: [] } })),
  );
  await buildPlugin(folder);
  server = await startServerProcess(home);
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const upload = async (text: string, fileName: string): Promise<ResourceDescriptor> => {
  const response = await server.request(`/v1/resources?fileName=${fileName}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: text,
  });
  return (await response.json()) as ResourceDescriptor;
};

describe('a file that is given to a sandboxed plugin', () => {
  it('is read by parts', async () => {
    const { id } = await upload('Grüße aus dem Sandkasten', 'greeting.txt');
    expect(await server.call('Reads', { file: id, from: 11 })).toMatchObject({
      status: 'success',
      data: {
        told: ['greeting.txt', 'text/plain', 26],
        text: ' dem ',
        size: 26,
        mimeType: 'text/plain',
      },
    });
  });

  it('may come as a data URI', async () => {
    const result = await server.call('Reads', { file: 'data:text/plain,one%20two%20three', from: 4 });
    expect(result).toMatchObject({ status: 'success', data: { text: 'two t', size: 13 } });
  });

  it('does not open another that the same caller owns', async () => {
    const given = await upload('given', 'given.txt');
    const kept = await upload('kept to oneself', 'kept.txt');
    const hidden = await server.call('Reads', {
      file: given.id,
      from: 0,
      other: `${kept.id.slice(0, 4)}|${kept.id.slice(4)}`,
    });
    expect(hidden).toMatchObject({ status: 'error' });
    expect(JSON.stringify(hidden)).not.toContain('kept to');
  });

  it('is refused before the plugin runs when it is too large', async () => {
    const { id } = await upload('x'.repeat(101), 'long.txt');
    expect(await server.call('Reads', { file: id, from: 0 })).toMatchObject({
      status: 'error',
      error: { code: 'RESOURCE_TOO_LARGE', target: 'file' },
    });
  });
});
