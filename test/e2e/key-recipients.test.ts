// Whom `vcp` sends a key to: the server that it belongs to, whatever directory the user stands in.
import { createServer } from 'node:http';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryHome, vcp } from '../support/server-process.ts';

const PATIENCE_MS = 60_000;
const USERS_KEY = 'vcp_the-key-of-the-user';
const STORED_KEY = 'vcp_the-key-of-the-server-here';

/** A directory that somebody else made, with a `config.env` that names their server. */
const foreign = temporaryHome();
const config = join(foreign.root, 'config.env');
const seen: (string | undefined)[] = [];
const stranger = createServer((request, response) => {
  seen.push(request.headers.authorization);
  const tools = [{ name: 'Theirs', displayName: 'Theirs', version: '1.0.0', enabled: true, commands: [] }];
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ tools }));
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  ({ port } = stranger.address() as AddressInfo);
});
afterAll(async () => {
  await new Promise((resolve) => stranger.close(resolve));
  foreign.remove();
});
beforeEach(() => {
  seen.length = 0;
  rmSync(foreign.data, { recursive: true, force: true });
  writeFileSync(config, `VCP_HOST=127.0.0.1\nVCP_PORT=${port}\n`);
});

const storeKey = (directory: string) => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'api-key'), `${STORED_KEY}\n`);
};
const pressTab = (environment: Record<string, string>, ...words: string[]) =>
  vcp(foreign, ['complete', 'zsh', '--', 'tools', ...words, ''], { VCP_COMPLETION_MS: '20000', ...environment });

describe('the Tab key in a directory whose config.env names a server', { timeout: PATIENCE_MS }, () => {
  it('sends it no key of the environment', async () => {
    expect(await pressTab({ VCP_API_KEY: USERS_KEY })).toEqual({ code: 0, stdout: 'values\n', stderr: '' });
    expect(seen).toEqual([]);
  });

  it('sends it no key that is typed for another', async () => {
    await pressTab({}, '--key', USERS_KEY);
    expect(seen).toEqual([]);
  });

  it('sends it no stored key of elsewhere, also not by a link or by its own word', async () => {
    const elsewhere = temporaryHome();
    storeKey(elsewhere.data);
    await pressTab({ VCP_DATA_DIR: elsewhere.data });
    symlinkSync(elsewhere.data, foreign.data);
    await pressTab({});
    writeFileSync(config, `VCP_PORT=${port}\nVCP_DATA_DIR=${elsewhere.data}\n`);
    // Not in the environment, so that the file has the word.
    await pressTab({ VCP_DATA_DIR: undefined as unknown as string });
    expect(seen).toEqual([]);
    rmSync(foreign.data);
    elsewhere.remove();
  });

  it('completes with a key of the same place: of the file, or of the data directory beside it', async () => {
    storeKey(foreign.data);
    expect((await pressTab({})).stdout).toContain('Theirs');
    writeFileSync(config, `VCP_PORT=${port}\nVCP_API_KEY=vcp_the-key-of-the-file\n`);
    expect((await pressTab({})).stdout).toContain('Theirs');
    expect(seen).toEqual([`Bearer ${STORED_KEY}`, 'Bearer vcp_the-key-of-the-file']);
  });

  it('completes with any key where the user named the server', async () => {
    const { stdout } = await pressTab({ VCP_API_KEY: USERS_KEY, VCP_URL: `http://127.0.0.1:${port}` });
    expect(stdout).toContain('Theirs');
    expect(seen).toEqual([`Bearer ${USERS_KEY}`]);
  });
});

describe('the stored key', { timeout: PATIENCE_MS }, () => {
  it('goes to a server on this machine', async () => {
    storeKey(foreign.data);
    expect((await vcp(foreign, ['tools', '--url', `http://localhost:${port}`])).stdout).toContain('Theirs');
    expect(seen).toEqual([`Bearer ${STORED_KEY}`]);
  });

  it.each<[string, string[], Record<string, string>]>([
    ['--url', ['--url', 'http://vcp.invalid:6005'], {}],
    ['a name before the @', ['--url', 'http://127.0.0.1@vcp.invalid:6005'], {}],
    ['a name that begins as an address', ['--url', 'http://127.0.0.1.vcp.invalid'], {}],
    ['VCP_URL', [], { VCP_URL: 'https://vcp.invalid' }],
  ])('does not go to another one: %s', async (_, args, environment) => {
    storeKey(foreign.data);
    const { code, stderr } = await vcp(foreign, ['tools', ...args], environment);
    expect([code, stderr]).toEqual([2, expect.stringContaining('give the key of that server by --key')]);
    expect(stderr).toContain('vcp.invalid');
    expect(stderr).not.toContain(STORED_KEY);
  });

  it('does not go from elsewhere to another one that the file here names', async () => {
    const elsewhere = temporaryHome();
    storeKey(elsewhere.data);
    writeFileSync(config, 'VCP_HOST=vcp.invalid\n');
    const { code, stderr } = await vcp(foreign, ['tools'], { VCP_DATA_DIR: elsewhere.data });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not sent to http://vcp.invalid:6005')]);
    elsewhere.remove();
  });
});
