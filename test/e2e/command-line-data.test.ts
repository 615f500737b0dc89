// `vcp`: arguments from files and stdin, resources, records, help of a tool, versions, the doctor.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServerProcess, temporaryHome, vcp, writePlugin, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const moduleText = `export const processToolCall = (args) => args.files === undefined ? { status: 'success', data: args } : {
    status: 'success', data: null,
    resources: args.files.map((fileName, index) => ({ id: 'r' + index, fileName, base64: btoa('file ' + index), mimeType: 'text/plain' })),
  };\n`;
  const { sha256 } = writePlugin(home.plugins, {
    name: 'Echo',
    module: 'echo.mjs',
    moduleText,
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to say.', default: 'hello' },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        unit: { enum: ['km', 'mile'] },
        files: { type: 'array', items: { type: 'string' } },
        any: true,
      },
    },
  });
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256!, VCP_LIMIT_RESOURCE_BYTES: '2000000' });
}, 120_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const run = (...args: string[]) => vcp(home, args, { VCP_URL: server.url });
const dataOf = (stdout: string) => (JSON.parse(stdout) as { data: Record<string, unknown> }).data;

describe('vcp call --arg', () => {
  it('takes files, stdin and JSON', async () => {
    writeFileSync(join(home.root, 'words.txt'), 'line 1\nline 2 漢\n');
    const args = ['call', 'Echo', '--arg', 'text=@words.txt', '--arg', 'count=-', '--arg', 'any:=[1,"x",null]'];
    const { code, stdout, stderr } = await vcp(home, args, { VCP_URL: server.url }, '7\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(dataOf(stdout)).toEqual({ text: 'line 1\nline 2 漢\n', count: 7, any: [1, 'x', null] });
  });

  it('has ways to write what would mean something else', async () => {
    expect(dataOf((await run('call', 'Echo', '--arg', 'text=@@home')).stdout)['text']).toBe('@home');
    expect(dataOf((await run('call', 'Echo', '--arg', 'text:="-"')).stdout)['text']).toBe('-');
    expect(dataOf((await run('call', 'Echo', '--arg', 'text=a:=b')).stdout)['text']).toBe('a:=b');
    expect(dataOf((await run('call', 'Echo', '--arg', 'TEXT:="named as the schema does"')).stdout)['text']).toBe(
      'named as the schema does',
    );
  });

  it.each([
    ['a file that is not there', ['--arg', 'text=@nowhere.txt'], 'no such file'],
    ['JSON that is none', ['--arg', 'any:={'], '--arg any:= is not JSON'],
    ['JSON with __proto__', ['--arg', 'any:={"__proto__":1}'], '__proto__'],
    ['stdin twice', ['--arg', 'text=-', '--arg', 'any=-'], 'cannot both read stdin'],
    ['no name', ['--arg', ':=1'], 'must be name=value'],
    ['an unknown option that is nearly one', ['--comand', 'Run'], 'Did you mean --command?'],
  ])('is wrong usage: %s', async (_, args, words) => {
    const { code, stdout, stderr } = await run('call', 'Echo', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('is wrong usage: a file that is no text', async () => {
    writeFileSync(join(home.root, 'bytes.bin'), new Uint8Array([0xff, 0xfe, 0x00]));
    const { code, stderr } = await run('call', 'Echo', '--arg', 'text=@bytes.bin');
    expect([code, stderr]).toEqual([2, expect.stringContaining('not UTF-8')]);
  });
});

describe('resources', () => {
  it('are saved beside what is there, by call --save', async () => {
    const args = ['call', 'Echo', '--json', '{"files":["a.txt","a.txt","日程.txt"]}', '--save', 'out'];
    mkdirSync(join(home.root, 'out'));
    writeFileSync(join(home.root, 'out', 'a.txt'), 'mine');
    const { code, stderr } = await run(...args);
    expect(code).toBe(0);
    expect(stderr.match(/^saved /gm)).toHaveLength(3);
    const contents = readdirSync(join(home.root, 'out'))
      .toSorted()
      .map((name) => [name, readFileSync(join(home.root, 'out', name), 'utf8')]);
    expect(contents).toEqual([
      ['a (1).txt', 'file 0'],
      ['a (2).txt', 'file 1'],
      ['a.txt', 'mine'],
      ['日程.txt', 'file 2'],
    ]);
  });

  it('are printed or saved by resources get, and nothing is overwritten', async () => {
    const { stdout } = await run('call', 'Echo', '--json', '{"files":["b.txt"]}');
    const [{ id }] = (JSON.parse(stdout) as { resources: [{ id: string }] }).resources;
    expect(await run('resources', 'get', id)).toEqual({ code: 0, stdout: 'file 0', stderr: '' });
    expect(await run('resources', 'get', id, '-o', 'b.out')).toMatchObject({ code: 0, stdout: 'b.out\n' });
    expect(readFileSync(join(home.root, 'b.out'), 'utf8')).toBe('file 0');
    const again = await run('resources', 'get', id, '-o', 'b.out');
    expect([again.code, again.stderr]).toEqual([2, 'vcp: b.out is there already, and is not overwritten\n']);
    expect(await run('resources', 'get', id, '--save', '.')).toMatchObject({ code: 0, stdout: 'b.txt\n' });
    expect((await run('resources', 'get', 'res_01ARZ3NDEKTSV4RRFFQ69G5FAV')).code).toBe(2);
    const nowhere = await run('resources', 'get', id, '--save', 'no/such/directory');
    expect([nowhere.code, nowhere.stderr]).toEqual([2, 'vcp: there is no directory no/such/directory\n']);
  });

  it('are put as what they are, and a type that the bytes contradict is told', async () => {
    writeFileSync(join(home.root, 'umlaut.csv'), 'größe;preis\n1;2\n');
    writeFileSync(join(home.root, 'page.html'), '<!doctype html><html><p>hello</p></html>');
    const table = await run('resources', 'put', 'umlaut.csv', '--json');
    expect(JSON.parse(table.stdout)).toMatchObject({ kind: 'text', mimeType: 'text/csv', fileName: 'umlaut.csv' });
    expect(table.stderr).toBe('');
    const page = await run('resources', 'put', '--type', 'image/png', 'page.html');
    expect(page).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^res_\w+\n$/) as string,
      stderr: 'vcp: page.html is kept as text/html: its bytes are not image/png\n',
    });
  });

  it('are put all or none where one is missing, and a refusal names its file', async () => {
    const missing = await run('resources', 'put', 'umlaut.csv', 'nope.txt');
    expect(missing).toEqual({ code: 2, stdout: '', stderr: 'vcp: there is no file nope.txt\n' });
    writeFileSync(join(home.root, 'large.bin'), new Uint8Array(3_000_000));
    const { code, stderr } = await run('resources', 'put', 'large.bin');
    expect([code, stderr]).toEqual([
      2,
      'vcp: large.bin: a resource has at most 1.9 MiB here (VCP_LIMIT_RESOURCE_BYTES)\n',
    ]);
  });

  it('of a call that has none are none', async () => {
    const { code, stderr } = await run('call', 'Echo', '--save', 'empty');
    expect([code, stderr]).toEqual([0, 'the result has no resources to save\n']);
    expect(readdirSync(home.root)).not.toContain('empty');
  });
});

describe('vcp results', () => {
  it('prints the AI view where only that has characters to bound', async () => {
    const { id } = JSON.parse((await run('call', 'Echo', '--arg', 'text=hello')).stdout) as { id: string };
    const view = await run('results', id, '--max-characters', '500');
    expect([view.code, view.stdout]).toEqual([0, expect.stringContaining('**Echo')]);
    expect(await run('results', id, '--view', 'audit', '--max-characters', '500')).toMatchObject({ code: 2 });
  });
});

describe('vcp records', () => {
  it('prints a line of JSON for each call, newest first', async () => {
    const first = JSON.parse((await run('call', 'Echo')).stdout) as { id: string };
    const second = JSON.parse((await run('call', 'Nobody', '--json', '{}')).stdout) as { id: string };
    const lines = (await run('records', '--limit', '2', '--since', '1h')).stdout.trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { id: string; resultId: string });
    expect(records.map(({ resultId }) => resultId)).toEqual([second.id, first.id]);
    const whole = await run('records', records[0]!.id);
    expect(JSON.parse(whole.stdout)).toMatchObject({ resultId: second.id, errorCode: 'TOOL_NOT_FOUND' });
  });

  it('finds calls by tool, status and time', async () => {
    const { stdout } = await run('records', '--tool', 'Nobody', '--status', 'error', '--limit', '1');
    expect(JSON.parse(stdout)).toMatchObject({ toolName: 'Nobody' });
    expect((await run('records', '--until', '2020-01-01T00:00:00Z')).stdout).toBe('');
  });

  it.each([
    ['a time that is none', ['--since', 'soon']],
    ['a status that is none', ['--status', 'good']],
    ['a number that is none', ['--limit', 'many']],
    ['a record that is not there', ['tcr_01ARZ3NDEKTSV4RRFFQ69G5FAV']],
  ])('is wrong usage with %s', async (_, args) => {
    expect(await run('records', ...args)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('help', () => {
  it('of a tool shows its arguments', async () => {
    const { code, stdout } = await run('call', 'Echo', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Arguments:');
    expect(stdout).toMatch(/text {2} +string, default "hello"\n +What to say\./);
    expect(stdout).toMatch(/count {1} +integer 1–9\n/);
    expect(stdout).toContain('"km" | "mile"');
  });

  it('is given without a server too', async () => {
    const { code, stdout, stderr } = await vcp(home, ['call', 'Echo', '--help'], { VCP_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: vcp call');
    expect(stderr).toContain('no server answers');
  });

  it.each([['call', '--help'], ['help', 'call'], ['--help'], ['records', '--help']])('%s %s', async (...args) => {
    const { code, stdout, stderr } = await vcp(home, args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Examples:');
    expect(stdout).not.toContain('\u001B');
  });
});

describe('vcp version', () => {
  it('tells of this program and of the server', async () => {
    expect((await run('version')).stdout).toMatch(/^vcp {5}\d+\.\d+\.\d+ \(protocol 1\.0.*\)\nserver {2}\d+\.\d+\.\d+/);
    expect(JSON.parse((await run('version', '--json')).stdout)).toMatchObject({
      server: { protocol: { version: '1.0' } },
    });
  });

  it('tells of this program alone when no server answers', async () => {
    const { code, stdout, stderr } = await vcp(home, ['version'], { VCP_URL: 'http://127.0.0.1:1' });
    expect([code, stdout.split('\n')[1]]).toEqual([0, 'server  none']);
    expect(stderr).toContain('no server answers');
  });
});

describe('vcp doctor', () => {
  const findings = (stdout: string) =>
    (JSON.parse(stdout) as { findings: { state: string; subject: string; detail: string; advice: string | null }[] })
      .findings;

  it('finds nothing wrong where nothing is', async () => {
    const { code, stdout } = await run('doctor', '--json');
    expect(findings(stdout).filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(findings(stdout).map(({ subject }) => subject)).toEqual([
      'Node.js',
      'configuration',
      'capabilities',
      'data directory',
      'disk',
      'key',
      'server',
      'tools',
      'node',
      'python3',
    ]);
    expect(code).toBe(0);
    expect((await run('doctor')).stdout).toMatch(/^ok {4}Node\.js: \d+/);
  });

  it('says what is wrong and what to do', async () => {
    const sick = temporaryHome();
    try {
      mkdirSync(sick.data, { recursive: true });
      writeFileSync(join(sick.data, 'api-key'), 'vcp_a-key-of-the-tests\n');
      chmodSync(join(sick.data, 'api-key'), 0o644);
      writePlugin(sick.plugins, { name: 'Broken', command: 'a-program-that-is-not-there' });
      writePlugin(sick.plugins, { name: 'Inside', module: 'main.mjs' });
      writePlugin(sick.plugins, {
        name: 'Unset',
        more: { configSchema: { type: 'object', properties: { TOKEN: { type: 'string' } }, required: ['TOKEN'] } },
      });
      const other = createServer((_, response) => response.writeHead(404).end('not ours')).listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { code, stdout } = await vcp(sick, ['doctor', '--json'], {
        VCP_PORT: String((other.address() as AddressInfo).port),
        VCP_PLUGIN_DIRS: sick.plugins,
        VCP_SURPRISE: 'x',
        VCP_LIMIT_FREE_DISK_BYTES: String(2 ** 50),
      });
      other.close();
      expect(code).toBe(1);
      const wrong = findings(stdout).filter(({ state }) => state !== 'ok');
      expect(wrong.map(({ state, subject }) => `${state} ${subject}`)).toEqual([
        'warn configuration',
        'fail disk',
        'fail key',
        'fail port',
        'fail plugin',
        'fail plugin',
        'fail plugin',
      ]);
      expect(wrong[1]?.advice).toContain('VCP_LIMIT_FREE_DISK_BYTES');
      expect(wrong[2]?.detail).toContain('mode 644');
      expect(wrong[3]?.detail).toContain('in use');
      expect(wrong[4]?.detail).toContain('a-program-that-is-not-there');
      expect(wrong[5]?.detail).toContain('is not trusted');
      expect(wrong[6]?.detail).toContain('/TOKEN: is required');
      expect(wrong.every(({ advice }) => advice !== null)).toBe(true);
    } finally {
      sick.remove();
    }
  });

  it('judges the plugins that the server would serve', async () => {
    const { stdout } = await vcp(home, ['doctor', '--json', '--url', 'http://127.0.0.1:9']);
    const { detail } = findings(stdout).find(({ subject }) => subject === 'plugins')!;
    expect(detail).toMatch(/ChartImage.* in .*plugins-stdio, .*plugins-direct, .*plugins-wasm$/);
  });

  it('stops at a configuration that is not valid', async () => {
    const { code, stdout } = await vcp(home, ['doctor', '--json'], { VCP_PORT: '99999999' });
    expect(code).toBe(1);
    expect(findings(stdout).at(-1)).toMatchObject({ state: 'fail', subject: 'configuration' });
  });
});
