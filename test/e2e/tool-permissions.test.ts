// What `vcp tools --permissions` shows of plugins in the sandbox and outside of it.
import { serve } from '@hono/node-server';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryApp } from '../support/memory-runtime.ts';
import { manifest } from '../support/sample-values.ts';
import { temporaryHome, vcp } from '../support/server-process.ts';
import { wasmManifest } from '../support/wasm-runtime.ts';

const home = temporaryHome();
const KEY = 'a-key-for-this-test';
const identity = { id: 'alice', name: 'alice', roles: new Set(['human'] as const), tools: null };
const { app } = createMemoryApp({
  app: { authenticator: { authenticate: (key) => (key === KEY ? identity : null) } },
  manifests: [
    manifest({ name: 'Free' }),
    wasmManifest({ name: 'Idle' }),
    wasmManifest({
      name: 'Weather',
      permissions: {
        http: { allow: [{ host: 'api.example.com' }, { host: '*', methods: ['POST'] }], requests: 2 },
        kv: { bytes: 1_048_576 },
        log: true,
      },
    }),
  ],
});
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
const run = (...args: string[]) => {
  const { port } = server.address() as AddressInfo;
  return vcp(home, ['tools', ...args], { VCP_URL: `http://127.0.0.1:${port}`, VCP_API_KEY: KEY });
};
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening');
});
afterAll(() => {
  server.close();
  home.remove();
});

describe('vcp tools --permissions', () => {
  it('says of each tool what it may do', async () => {
    const { code, stdout, stderr } = await run('--permissions');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'Free 1.0.0',
        '  not in the sandbox: it may do all that the user of the server may',
        'Idle 1.0.0',
        '  nothing but compute its result',
        'Weather 1.0.0',
        '  http GET, HEAD https://api.example.com (at most 2 requests)',
        '  http POST any public host by https (at most 2 requests)',
        '  keep values, up to 1.0 MiB',
        '  write to the log',
        '',
      ].join('\n'),
    );
  });

  it('says it of one', async () => {
    expect((await run('Idle', '--permissions')).stdout).toBe('Idle 1.0.0\n  nothing but compute its result\n');
  });

  it('gives it as JSON, as the manifest means it', async () => {
    const { tools } = JSON.parse((await run('--permissions', '--json')).stdout) as { tools: unknown[] };
    expect(tools).toEqual([
      { name: 'Free', version: '1.0.0', isSandboxed: false, permissions: null },
      { name: 'Idle', version: '1.0.0', isSandboxed: true, permissions: {} },
      {
        name: 'Weather',
        version: '1.0.0',
        isSandboxed: true,
        permissions: {
          http: {
            allow: [
              { scheme: 'https', host: 'api.example.com', methods: ['GET', 'HEAD'] },
              { scheme: 'https', host: '*', methods: ['POST'] },
            ],
            requests: 2,
          },
          kv: { bytes: 1_048_576 },
          log: true,
        },
      },
    ]);
  });
});
