// What a newcomer does: start the server, paste the line it prints.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';
import { repositoryRoot } from '../support/manifest.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess(home, {
    VCP_PLUGIN_DIRS: join(repositoryRoot, 'plugins-stdio'),
    // More wrong keys than this come from one address here.
    VCP_LIMIT_FREE_WRONG_KEYS: '100',
  });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const printedCurl = () => /^curl .*$/m.exec(server.stdout())?.[0] ?? '';
const runInShell = (line: string) =>
  execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } });

describe('the printed curl line', () => {
  it('returns a canonical result with every field', () => {
    const result = JSON.parse(runInShell(printedCurl())) as Record<string, unknown>;
    expect(Object.keys(result)).toEqual([
      'protocol',
      'id',
      'status',
      'tool',
      'execution',
      'actor',
      'origin',
      'data',
      'resources',
      'warnings',
      'error',
      'task',
      'presentation',
      'aiAdvice',
      'policy',
      'extensions',
    ]);
    expect(CanonicalToolResult.safeParse(result).error).toBeUndefined();
    expect(result).toMatchObject({
      protocol: { name: 'vcp.tool-result', version: '1.0' },
      id: expect.stringMatching(/^tr_[0-9A-HJKMNP-TV-Z]{26}$/) as unknown,
      status: 'success',
      execution: {
        invocationId: expect.stringMatching(/^ti_/) as unknown,
        requestId: expect.stringMatching(/^req_/) as unknown,
        recordId: expect.stringMatching(/^tcr_/) as unknown,
        attempt: 1,
      },
      actor: { type: 'human', name: 'default' },
      origin: { source: 'human', serverId: 'local', distributed: false, requestIp: '127.0.0.1' },
      error: null,
      task: null,
    });
  });

  it('works from any directory', () => {
    const line = `cd / && ${printedCurl()}`;
    expect(JSON.parse(runInShell(line))).toMatchObject({ status: 'success' });
  });
});

describe('the key that the first start makes', () => {
  it('is in a file that only its owner may read', () => {
    const file = join(home.data, 'api-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/^vcp_[\w-]{43}\n$/);
  });

  it('is not printed where others may read it', () => {
    expect(server.key.length).toBeGreaterThan(40);
    expect(server.stdout()).not.toContain(server.key);
    expect(server.stderr()).not.toContain(server.key);
    expect(server.stdout()).toContain(join(home.data, 'api-key'));
  });

  it('is the same after a restart', async () => {
    const second = await startServerProcess(home);
    second.kill('SIGTERM');
    expect(await second.exit).toEqual({ code: 0, signal: null });
    expect(second.key).toBe(server.key);
  });

  it.each([
    ['no header', {}],
    ['an empty one', { authorization: '' }],
    ['a wrong key', { authorization: 'Bearer vcp_wrong' }],
    ['the key and more', { authorization: 'Bearer KEYx' }],
    ['the start of the key', { authorization: 'Bearer HALF' }],
    ['another scheme', { authorization: 'Basic KEY' }],
    ['the bare key', { authorization: 'KEY' }],
    ['two keys', { authorization: 'Bearer KEY, Bearer KEY' }],
  ])('is needed: %s is refused', async (_what, headers: { authorization?: string }) => {
    const authorization = headers.authorization?.replaceAll('KEY', server.key).replace('HALF', server.key.slice(0, 20));
    for (const path of ['/v1/tools', '/v1/records', '/v1/results/x', '/v1/resources/x', '/v1/nothing']) {
      const response = await fetch(`${server.url}${path}`, {
        headers: authorization === undefined ? {} : { authorization },
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      const body = await response.text();
      expect(JSON.parse(body)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
      expect(body).not.toContain(server.key);
    }
  });

  it('is not needed to ask how the server is', async () => {
    for (const path of ['/healthz', '/readyz', '/version', '/schemas/1.0/tool-error']) {
      expect({ path, status: (await fetch(`${server.url}${path}`)).status }).toEqual({ path, status: 200 });
    }
  });
});
