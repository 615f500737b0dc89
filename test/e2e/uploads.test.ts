// Files that callers bring: by HTTP and by `vcp resources put`, and the addresses that open them without a key.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceDescriptor } from '../../src/protocol/resource.ts';
import { hasTerminals, KEYS, vcpOnTerminal } from '../support/terminal.ts';
import { startServerProcess, temporaryHome, vcp, writePlugin, type ServerProcess } from '../support/server-process.ts';

const MIB = 1024 * 1024;
const home = temporaryHome();
const settings = { VCP_LIMIT_RESOURCE_BYTES: String(256 * MIB) };
let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess(home, settings);
}, 60_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const run = (...args: string[]) => vcp(home, args, { VCP_URL: server.url });
const inHome = (name: string) => join(home.root, name);

/** Most memory that the server had so far, in bytes. */
const peakOf = ({ child }: ServerProcess): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;

describe.runIf(process.platform === 'linux')('a large file', () => {
  const size = 256 * MIB;
  const block = Buffer.alloc(64 * 1024, 'vcp ');
  const blocksOf = (before: string, after: string) =>
    new ReadableStream<Uint8Array>(
      (function source() {
        let left = size / block.length;
        return {
          start: (controller: ReadableStreamDefaultController<Uint8Array>) =>
            void (before !== '' && controller.enqueue(Buffer.from(before))),
          pull: (controller: ReadableStreamDefaultController<Uint8Array>) => {
            if (left > 0) controller.enqueue(new Uint8Array(block));
            else {
              if (after !== '') controller.enqueue(Buffer.from(after));
              controller.close();
            }
            left -= 1;
          },
        };
      })(),
    );
  const expected = () => {
    const hash = createHash('sha256');
    for (let at = 0; at < size; at += block.length) hash.update(block);
    return hash.digest('hex');
  };

  it('comes and goes without ever being held in memory whole', { timeout: 120_000 }, async () => {
    const before = peakOf(server);
    const head = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
    const ids: string[] = [];
    for (const [body, type] of [
      [blocksOf('', ''), 'application/octet-stream'],
      [blocksOf(head, '\r\n--B--\r\n'), 'multipart/form-data; boundary=B'],
    ] as const) {
      const init = { method: 'POST', body, headers: { 'content-type': type }, duplex: 'half' } as RequestInit;
      const response = await server.request('/v1/resources', init);
      const descriptor = (await response.json()) as ResourceDescriptor;
      expect([response.status, descriptor.sizeBytes, descriptor.sha256]).toEqual([201, size, expected()]);
      ids.push(descriptor.id);
    }
    const hash = createHash('sha256');
    for await (const chunk of (await server.request(`/v1/resources/${ids[0]}`)).body!) hash.update(chunk);
    expect(hash.digest('hex')).toBe(expected());
    // Half of one copy leaves room for what the engine has not collected yet.
    expect(peakOf(server) - before).toBeLessThan(size / 2);
  });
});

describe('vcp resources put', () => {
  it('keeps a file, which vcp resources get gives back under its name', async () => {
    const name = '月球上的猫 😀 "1".txt';
    writeFileSync(inHome(name), 'meow');
    const put = await run('resources', 'put', name);
    expect(put).toEqual({ code: 0, stdout: expect.stringMatching(/^res_\w{26}\n$/), stderr: '' });
    const id = put.stdout.trim();
    expect(await run('resources', 'get', id)).toEqual({ code: 0, stdout: 'meow', stderr: '' });
    // Quotes are not for file names everywhere.
    const saved = '月球上的猫 😀 _1_.txt';
    expect(await run('resources', 'get', id, '--save', '.')).toEqual({ code: 0, stdout: `${saved}\n`, stderr: '' });
    expect(readFileSync(inHome(saved), 'utf8')).toBe('meow');
  });

  it('keeps a name that is longer than any file may have, and saves it cut', async () => {
    writeFileSync(inHome('short.txt'), 'x');
    const name = `${'长'.repeat(296)}.txt`;
    const { stdout } = await run('resources', 'put', 'short.txt', '--name', name, '--json');
    expect((JSON.parse(stdout) as ResourceDescriptor).fileName).toBe(name);
    const { id } = JSON.parse(stdout) as ResourceDescriptor;
    const saved = await run('resources', 'get', id, '--save', '.');
    expect(saved).toMatchObject({ code: 0, stderr: '' });
    expect(saved.stdout.trim().endsWith('.txt')).toBe(true);
    expect(readdirSync(home.root)).toContain(saved.stdout.trim());
  });

  it('takes several files', async () => {
    for (const name of ['1.txt', '2.txt']) writeFileSync(inHome(name), name);
    const { stdout } = await run('resources', 'put', '1.txt', '2.txt');
    expect(stdout.trim().split('\n')).toHaveLength(2);
    const listed = await run('resources', 'put', '1.txt', '2.txt', '--json');
    expect((JSON.parse(listed.stdout) as ResourceDescriptor[]).map(({ fileName }) => fileName)).toEqual([
      '1.txt',
      '2.txt',
    ]);
  });

  it.each([
    [['nothing.txt'], /there is no file nothing\.txt/],
    [['.'], /is not a file/],
    [['1.txt', '2.txt', '--name', 'x'], /--name and --type are for one file/],
    [['1.txt', '--name', 'a/b'], /plain file name/],
  ])('is wrong usage with %j', async (args, said) => {
    const { code, stdout, stderr } = await run('resources', 'put', ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(said);
  });
});

describe('vcp resources link', () => {
  it('prints an address that needs no key, also after a restart', async () => {
    writeFileSync(inHome('linked.txt'), 'open');
    const id = (await run('resources', 'put', 'linked.txt')).stdout.trim();
    const { code, stdout, stderr } = await run('resources', 'link', id, '--expires', '5m');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^opens res_\w+ without a key until 20\d\d-.*Z\n$/)]);
    expect(await (await fetch(stdout.trim())).text()).toBe('open');

    const keyFile = join(home.data, 'signing-key');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    server.kill('SIGTERM');
    await server.exit;
    server = await startServerProcess(home, settings);
    const moved = stdout.trim().replace(/^http:\/\/[^/]+/, server.url);
    expect(await (await fetch(moved)).text()).toBe('open');

    const key = 'a new key of more than 32 characters';
    server.kill('SIGTERM');
    await server.exit;
    server = await startServerProcess(home, {
      ...settings,
      VCP_SIGNING_KEY: `${key},${readFileSync(keyFile, 'utf8').trim()}`,
    });
    expect((await fetch(stdout.trim().replace(/^http:\/\/[^/]+/, server.url))).status).toBe(200);
    server.kill('SIGTERM');
    await server.exit;
    server = await startServerProcess(home, { ...settings, VCP_SIGNING_KEY: key });
    expect((await fetch(stdout.trim().replace(/^http:\/\/[^/]+/, server.url))).status).toBe(403);
  }, 60_000);

  it.each([
    [['--expires', '5'], /a time such as/],
    [['--expires', '30d'], /must be at most 24h \(86400000 ms\)/],
  ])('is wrong usage with %j', async (args, said) => {
    const id = (await run('resources', 'put', 'linked.txt')).stdout.trim();
    const { code, stderr } = await run('resources', 'link', id, ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  });
});

describe('vcp call --arg name=@file', () => {
  const takes = (properties: object) => ({ type: 'object', properties, additionalProperties: false });
  const resource = { $ref: 'urn:vcp:schema:1.0:resource-input', 'x-resource': { kinds: ['image'] } };
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAFElEQVR4nGP8z8Dwn4GBgYEJRMAAABQnAgEt2TH0AAAAAElFTkSuQmCC',
    'base64',
  );

  beforeAll(async () => {
    writePlugin(home.plugins, {
      name: 'Looks',
      command: 'node',
      args: ['inputs.mjs'],
      inputSchema: takes({ file: resource, files: { type: 'array', items: resource }, text: { type: 'string' } }),
    });
    const inputSchema = { ...takes({ file: resource }), required: ['file'] };
    const scan = { commandIdentifier: 'Run', description: 'Looks at one.', inputSchema, outputSchema: true };
    writePlugin(home.plugins, {
      name: 'Scans',
      command: 'node',
      args: ['inputs.mjs'],
      more: { capabilities: { invocationCommands: [scan] } },
    });
    await vcp(home, ['plugins', 'reload'], { VCP_URL: server.url });
    writeFileSync(inHome('月.png'), png);
    writeFileSync(inHome('words.txt'), 'words\n');
  });

  type Seen = { arguments: string; seen: { length: number }[] };
  const dataOf = (stdout: string) => (JSON.parse(stdout) as { data: Seen }).data;

  it('uploads what the tool takes as a resource, and reads what it takes as text', async () => {
    const { code, stdout, stderr } = await run('call', 'Looks', '--arg', 'file=@月.png', '--arg', 'text=@words.txt');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^uploaded 月\.png as res_\w{26}\n$/)]);
    expect(dataOf(stdout).seen).toMatchObject([{ length: png.length }]);
    expect(JSON.parse(dataOf(stdout).arguments)).toMatchObject({
      file: { fileName: '月.png', mimeType: 'image/png' },
      text: 'words\n',
    });
  });

  it('uploads one for a list of them, and takes ids as they are', async () => {
    const id = (await run('resources', 'put', '月.png')).stdout.trim();
    const { stdout } = await run('call', 'Looks', '--arg', 'files=@月.png', '--arg', `FILE=${id}`);
    expect(dataOf(stdout).seen).toHaveLength(2);
  });

  it('sends nothing when something else is wrong', async () => {
    const wrong = await run('call', 'Looks', '--arg', 'file=@月.png', '--arg', 'txet=1');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.not.stringContaining('uploaded')]);
    const missing = await run('call', 'Looks', '--arg', 'file=@nothing.png');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no such file')]);
  });

  it('tells what the tool does not take', async () => {
    const { code, stdout } = await run('call', 'Looks', '--arg', 'file=@words.txt');
    expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([
      1,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  it.skipIf(!hasTerminals)('asks for a file on a terminal (skipped without util-linux script)', async () => {
    const terminal = vcpOnTerminal(home, ['call', 'Scans'], { VCP_URL: server.url }, '> scanned.json');
    await terminal.waitFor('file (resource, @file uploads one)');
    terminal.type(`@nothing.png${KEYS.enter}`);
    await terminal.waitFor('there is no file nothing.png');
    terminal.type(`${KEYS.backspace.repeat('@nothing.png'.length)}@月.png${KEYS.enter}`);
    await terminal.waitFor('next time: vcp call Scans --arg file=res_');
    expect(await terminal.exit).toBe(0);
    expect(dataOf(readFileSync(inHome('scanned.json'), 'utf8')).seen).toMatchObject([{ length: png.length }]);
  });

  it('says in help that it does so', async () => {
    expect((await run('call', 'Looks', '--help')).stdout).toMatch(/file\s+resource, @file uploads one/);
  });
});

/** As if they had been put two days ago: the time for which bytes are kept in any case is longer than a day. */
const makeBlobsOld = (root: string): void => {
  const old = new Date(Date.now() - 2 * 24 * 60 * 60 * 1_000);
  const blobs = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /[0-9a-f]{64}$/.test(path));
  expect(blobs).toHaveLength(1);
  for (const path of blobs) utimesSync(join(root, path), old, old);
};

describe('vcp resources gc', () => {
  const collecting = temporaryHome();
  afterAll(() => collecting.remove());

  it('removes what has had its time, which the server does by itself as well', { timeout: 60_000 }, async () => {
    writeFileSync(join(collecting.root, 'a.txt'), 'hello');
    const limits = {
      VCP_LIMIT_RETAIN_UPLOADS_MS: '1',
      VCP_LIMIT_BLOB_GRACE_MS: '86400001',
      VCP_LIMIT_COLLECT_EVERY_MS: '0',
    };
    let running = await startServerProcess(collecting, limits);
    const cli = (...args: string[]) => vcp(collecting, args, { VCP_URL: running.url });
    const id = (await cli('resources', 'put', 'a.txt')).stdout.trim();
    makeBlobsOld(collecting.root);
    expect(await cli('resources', 'gc', '--dry-run')).toEqual({
      code: 0,
      stdout: 'would remove 0 results, 0 records, 1 resources, 1 blobs (5 bytes)\n',
      stderr: '',
    });
    expect((await cli('resources', 'get', id)).stdout).toBe('hello');
    const report = JSON.parse((await cli('resources', 'gc', '--json')).stdout) as object;
    expect(report).toEqual({ results: 0, records: 0, resources: 1, blobs: 1, bytes: 5, dryRun: false });
    expect((await cli('resources', 'get', id)).code).toBe(2);
    running.kill('SIGTERM');
    await running.exit;

    running = await startServerProcess(collecting, { ...limits, VCP_LIMIT_COLLECT_EVERY_MS: '50' });
    const again = (await cli('resources', 'put', 'a.txt')).stdout.trim();
    let status = 200;
    for (let round = 0; round < 500 && status !== 404; round += 1) {
      status = (await running.request(`/v1/resources/${again}`, { method: 'HEAD' })).status;
      await new Promise((done) => setTimeout(done, 20));
    }
    expect(status).toBe(404);
    running.kill('SIGTERM');
    expect((await running.exit).code).toBe(0);
    expect(running.stderr()).toContain('garbage.collected');
  });
});
