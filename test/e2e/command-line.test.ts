// `vcp`: stdout is data, stderr is talk, the exit code tells what happened.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { startServerProcess, temporaryHome, vcp, writePlugin, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const moduleText = `export const processToolCall = (args) => args.fail
    ? { status: 'error', data: null, error: { code: 'TEST.REFUSED', message: 'not today' } }
    : { status: args.partly ? 'partial' : 'success', data: args, ...(args.partly ? { warnings: [{ code: 'TEST.PART', message: 'some' }] } : {}) };\n`;
  const properties = {
    count: { type: 'integer' },
    text: { type: 'string' },
    list: { type: 'array' },
    flag: { type: 'boolean' },
    fail: { type: 'boolean' },
    partly: { type: 'boolean' },
  };
  const { sha256 } = writePlugin(home.plugins, {
    name: 'Echo',
    module: 'echo.mjs',
    moduleText,
    inputSchema: { type: 'object', properties, additionalProperties: false },
  });
  writePlugin(home.plugins, { name: 'Sleeps', command: './run.sh', args: ['sleep 600'] });
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256! });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const run = (...args: string[]) => vcp(home, args, { VCP_URL: server.url });
const resultOf = (stdout: string) => CanonicalToolResult.parse(JSON.parse(stdout));

describe('vcp call', () => {
  it('converts arguments as the schema asks', async () => {
    const { code, stdout, stderr } = await run(
      'call',
      'Echo',
      '--arg',
      'count=3',
      '--arg',
      'text=5',
      '--arg',
      'list=[1,"two"]',
      '--arg',
      'flag=true',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(resultOf(stdout)).toMatchObject({
      status: 'success',
      data: { count: 3, text: '5', list: [1, 'two'], flag: true },
    });
  });

  it('keeps everything after the first equals sign', async () => {
    const { stdout } = await run('call', 'Echo', '--arg', 'text=a=b = 漢𝄞 "quoted"');
    expect(resultOf(stdout).data).toEqual({ text: 'a=b = 漢𝄞 "quoted"' });
  });

  it('takes JSON, also from stdin', async () => {
    expect(resultOf((await run('call', 'Echo', '--json', '{"count":4}')).stdout).data).toEqual({ count: 4 });
    const piped = await vcp(
      home,
      ['call', 'Echo', '--json', '-'],
      { VCP_URL: server.url },
      `{"text":"${'x'.repeat(500_000)}"}`,
    );
    expect({ code: piped.code, stderr: piped.stderr }).toEqual({ code: 0, stderr: '' });
    expect((resultOf(piped.stdout).data as { text: string }).text).toHaveLength(500_000);
  });

  it.concurrent.each(['canonical', 'workflow', 'bridge', 'audit'])(
    'prints the %s view as JSON, and nothing else',
    async (view) => {
      const { code, stdout, stderr } = await run('call', 'Echo', '--arg', 'count=1', '--view', view);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toBeTypeOf('object');
    },
  );

  it('prints the view for models as text', async () => {
    const { code, stdout } = await run('call', 'Echo', '--arg', 'count=1', '--view', 'ai');
    expect(code).toBe(0);
    expect(stdout).toContain('count');
    expect(() => JSON.parse(stdout) as unknown).toThrow();
  });

  it.concurrent.each([
    ['an error of the tool', ['Echo', '--arg', 'fail=true'], 'error', 'TEST.REFUSED'],
    ['an argument that does not fit', ['Echo', '--arg', 'count=many'], 'error', 'INVALID_ARGUMENT'],
    ['a deadline', ['Sleeps', '--timeout', '200'], 'timeout', 'TOOL_TIMEOUT'],
  ])('ends with 1 and prints the result all the same: %s', async (_what, args, status, errorCode) => {
    const { code, stdout, stderr } = await run('call', ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(resultOf(stdout)).toMatchObject({ status, error: { code: errorCode } });
  });

  it.concurrent.each(['canonical', 'workflow', 'bridge', 'audit', 'ai'])(
    'ends with 1 for an error in the %s view',
    async (view) => {
      const { code, stdout } = await run('call', 'Echo', '--arg', 'fail=true', '--view', view);
      expect(stdout).toContain('not today');
      expect(code).toBe(1);
    },
  );

  it('ends with 0 for a partial result', async () => {
    const { code, stdout } = await run('call', 'Echo', '--arg', 'partly=true');
    expect(resultOf(stdout).status).toBe('partial');
    expect(code).toBe(0);
  });
});

describe('wrong usage ends with 2, says why on stderr, and prints no data', () => {
  it.concurrent.each([
    ['no tool', ['call']],
    ['an unknown option', ['call', 'Echo', '--surprise']],
    ['an unknown command', ['surprise']],
    ['an unknown view', ['call', 'Echo', '--view', 'x-ray']],
    ['an argument without a value', ['call', 'Echo', '--arg', 'count']],
    ['JSON that is none', ['call', 'Echo', '--json', '{']],
    ['JSON that is no object', ['call', 'Echo', '--json', '[1]']],
    ['JSON with __proto__', ['call', 'Echo', '--json', '{"__proto__":{}}']],
    ['both kinds of arguments', ['call', 'Echo', '--json', '{}', '--arg', 'a=b']],
    ['a timeout that is none', ['call', 'Echo', '--timeout', 'soon']],
    ['a wrong key', ['call', 'Echo', '--key', 'vcp_wrong']],
    ['a tool that is not there to show', ['tools', 'Nobody']],
    ['a result that is not there', ['results', 'tr_01ARZ3NDEKTSV4RRFFQ69G5FAV']],
    ['a page that is none', ['results', 'tr_01ARZ3NDEKTSV4RRFFQ69G5FAV', '--offset', '-1']],
    ['a schema that is not there', ['schema', 'nothing']],
  ])('%s', async (_what, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.length).toBeGreaterThan(10);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('a key that is nowhere', async () => {
    const { code, stderr } = await vcp({ root: home.root, data: join(home.root, 'elsewhere') }, ['tools'], {
      VCP_URL: server.url,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('VCP_API_KEY');
  });
});

describe('a server that cannot be reached', () => {
  it.each([
    ['nobody there ends with 3', 'http://127.0.0.1:1', 3],
    ['what is no address is wrong usage', 'nonsense', 2],
  ])('%s', async (_what, url, expected) => {
    const { code, stdout, stderr } = await vcp(home, ['call', 'Echo', '--url', url]);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('the other commands', () => {
  it('tools: lists them and shows one', async () => {
    expect((await run('tools')).stdout).toContain('Echo 1.0.0');
    expect(JSON.parse((await run('tools', '--json')).stdout)).toMatchObject({
      tools: [{ name: 'Echo' }, { name: 'ResultReader' }, { name: 'Sleeps' }, { name: 'TaskScheduler' }],
    });
    const shown = (await run('tools', 'Echo')).stdout;
    expect((await run('tools', 'Echo', '--ports')).stdout).toContain('  in   /count  integer, optional\n');
    expect(shown).toContain('    count   integer\n');
    expect(shown).not.toContain('additionalProperties');
    expect(JSON.parse((await run('tools', 'Echo', '--json')).stdout)).toMatchObject({
      name: 'Echo',
      commands: [{ commandIdentifier: 'Run' }],
    });
  });

  it('results: gives a stored result, its views, and a page of a part', async () => {
    const { id } = resultOf((await run('call', 'Echo', '--json', '{"list":[1,2,3,4,5]}')).stdout);
    expect(resultOf((await run('results', id)).stdout).data).toEqual({ list: [1, 2, 3, 4, 5] });
    expect((await run('results', id, '--view', 'ai')).stdout).toContain('list');
    const page = JSON.parse(
      (await run('results', id, '--pointer', '/data/list', '--offset', '1', '--limit', '2')).stdout,
    ) as object;
    expect(page).toEqual({
      resultId: id,
      view: 'canonical',
      pointer: '/data/list',
      value: [2, 3],
      offset: 1,
      total: 5,
      nextOffset: 3,
    });
  });

  it('config: shows what is in force, and no secret', async () => {
    const secret = 'a-very-secret-key-value';
    for (const args of [['config'], ['config', '--json']]) {
      const { code, stdout, stderr } = await vcp(home, args, {
        VCP_API_KEY: secret,
        VCP_PORT: '7007',
        VCP_LIMIT_FRAME_BYTES: '1234',
      });
      expect(code).toBe(0);
      expect(stdout).toContain('7007');
      expect(stdout).toContain('1234');
      expect(stdout).toContain('********');
      expect(stdout + stderr).not.toContain(secret);
    }
    const wrong = await vcp(home, ['config'], { VCP_PORT: '99999999', VCP_API_KEY: secret.slice(0, 8) });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('VCP_PORT');
    expect(wrong.stdout + wrong.stderr).not.toContain(secret.slice(0, 8));
  });

  it('schema: prints them without a server', async () => {
    const names = (await vcp(home, ['schema'])).stdout.trim().split('\n');
    expect(names).toContain('canonical-tool-result');
    expect(JSON.parse((await vcp(home, ['schema', 'canonical-tool-result'])).stdout)).toMatchObject({
      $id: 'urn:vcp:schema:1.0:canonical-tool-result',
    });
  });

  it('help and version end with 0', async () => {
    expect((await run('--help')).code).toBe(0);
    expect(await run('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown,
    });
  });
});
