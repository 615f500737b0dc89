// `vcp call` for tools that name their commands in different ways, and for a result that could not be stored.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalResult } from '../support/sample-values.ts';
import {
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const command = (commandIdentifier: string, properties: object) => ({
    commandIdentifier,
    description: 'd',
    inputSchema: { type: 'object', properties, additionalProperties: false },
    outputSchema: true,
  });
  const write = (name: string, commands: object[], more: object = {}) => {
    const capabilities = { invocationCommands: commands };
    const spec = { name, module: 'echo.mjs', moduleText: ECHO_MODULE, more: { capabilities, ...more } };
    return writePlugin(home.plugins, spec).sha256!;
  };
  const number = { n: { type: 'integer' } };
  const sha256 = write('Single', [command('Only', { a: { type: 'integer' } })]);
  write('Named', [command('Only', { command: { const: 'Only' }, a: { type: 'integer' } })]);
  write(
    'Acts',
    [
      command('Some', { action: { const: 'Some' }, n: { type: 'string' } }),
      command('Other', { action: { const: 'Other' }, ...number }),
    ],
    { commandField: 'action' },
  );
  const demands = command('Only', { command: { const: 'Only' } });
  write('Demands', [{ ...demands, inputSchema: { ...demands.inputSchema, required: ['command'] } }]);
  const needed = { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] };
  write('Needs', [{ ...demands, inputSchema: { ...needed, additionalProperties: false } }]);
  write('Open', [{ ...demands, inputSchema: needed }]);
  write('Lists', [command('Only', { to: { type: 'array', items: { type: 'string' } } })]);
  write('Several', [
    command('First', { command: { const: 'First' } }),
    command('Second', { command: { const: 'Second' }, ...number }),
  ]);
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256 });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const call = async (...args: string[]) => {
  const { code, stdout, stderr } = await vcp(home, ['call', ...args], { VCP_URL: server.url });
  expect(stderr).toBe('');
  const { data, error } = JSON.parse(stdout) as { data: unknown; error: { code: string } | null };
  return { code, data, error: error?.code ?? null };
};

describe('vcp call --command', () => {
  it.each<[string, string[], object]>([
    ['the only command, whose schema has no name for it', ['Single', '--command', 'Only', '--arg', 'a=1'], { a: 1 }],
    ['nothing, for a single command', ['Single', '--arg', 'a=1'], { a: 1 }],
    [
      'the only command, whose schema names it',
      ['Named', '--command', 'Only', '--arg', 'a=1'],
      { command: 'Only', a: 1 },
    ],
    ['a command by the tool’s own field', ['Acts', '--command', 'Other', '--arg', 'n=5'], { action: 'Other', n: 5 }],
    ['a command whose argument is text', ['Acts', '--command', 'Some', '--arg', 'n=5'], { action: 'Some', n: '5' }],
    ['it by --arg instead', ['Acts', '--arg', 'action=Other', '--arg', 'n=5'], { action: 'Other', n: 5 }],
    ['it beside JSON', ['Several', '--json', '{}', '--command', 'Second'], { command: 'Second' }],
    ['it beside JSON with arguments', ['Acts', '--json', '{"n":7}', '--command', 'Other'], { action: 'Other', n: 7 }],
    ['it beside JSON for a single command', ['Single', '--json', '{"a":2}', '--command', 'Only'], { a: 2 }],
    ['it by JSON in --arg', ['Acts', '--arg', 'action:="Other"', '--arg', 'n:=5'], { action: 'Other', n: 5 }],
    ['the only command, which its schema demands, by itself', ['Demands'], { command: 'Only' }],
    ['a list that is written as JSON', ['Lists', '--arg', 'to=["a"]'], { to: ['a'] }],
    ['it alone', ['Several', '--command', 'First'], { command: 'First' }],
  ])('names %s', async (_, args, data) => {
    expect(await call(...args)).toEqual({ code: 0, data, error: null });
  });

  it.each([
    ['a tool of several', ['Several', '--command', 'Secnd'], 'Several has no command Secnd; did you mean Second?'],
    ['a tool of one', ['Named', '--command', 'Elsewhere'], 'Named has no command Elsewhere; it has Only'],
    ['a tool whose schema names none', ['Single', '--command', 'Elsewhere'], 'has no command Elsewhere; it has Only'],
    ['beside JSON', ['Several', '--json', '{}', '--command', 'Elsewhere'], 'it has First, Second'],
    ['in --arg', ['Acts', '--arg', 'action=Othr'], 'Acts has no command Othr; did you mean Other?'],
    ['a tool that is not there', ['Nobody', '--command', 'Third', '--arg', 'a=1'], 'Nobody'],
  ])('is wrong usage when there is no such command: %s', async (_, args, words) => {
    const { code, stdout, stderr } = await vcp(home, ['call', ...args], { VCP_URL: server.url });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });
});

describe('vcp call with names that the tool does not know', () => {
  it.each([
    [
      'a mistyped argument',
      ['Needs', '--arg', 'expresion=2'],
      'Needs Only has no argument expresion; did you mean expression?',
    ],
    [
      'the same where others may be given',
      ['Open', '--arg', 'expresion=2'],
      'has no argument expresion; did you mean expression?',
    ],
    [
      'an argument that is like none',
      ['Single', '--arg', 'colour=red'],
      'Single Only has no argument colour; it takes a',
    ],
    ['an argument given twice', ['Single', '--arg', 'a=1', '--arg', 'A=2'], 'the argument a is given twice'],
    ['a text in the place of a list', ['Lists', '--arg', 'to=a b'], `to is a list; write it --arg 'to:=["a b"]'`],
    ['the help of a tool that is not there', ['Sngle', '--help'], 'Single'],
  ])('is wrong usage: %s', async (_, args, words) => {
    const { code, stdout, stderr } = await vcp(home, ['call', ...args], { VCP_URL: server.url });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('ends with 2 for a tool that is not there with JSON too, whose result is printed', async () => {
    expect(await call('Nobody', '--json', '{}')).toEqual({ code: 2, data: null, error: 'TOOL_NOT_FOUND' });
  });
});

describe('vcp call --view of a result that could not be stored', () => {
  const result = canonicalResult() as { execution: object };
  let unable: Server;
  let url: string;
  beforeAll(async () => {
    unable = createServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...result, execution: { ...result.execution, recordId: null } }));
    }).listen(0, '127.0.0.1');
    await once(unable, 'listening');
    url = `http://127.0.0.1:${(unable.address() as AddressInfo).port}`;
  });
  afterAll(() => void unable.close());

  it('prints the whole result, and says so on stderr', async () => {
    const { code, stdout, stderr } = await vcp(home, ['call', 'Sample', '--json', '{}', '--view', 'ai', '--url', url]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', execution: { recordId: null } });
    expect(stderr).toBe('vcp: the result could not be stored, so it has no ai view; this is the whole\n');
  });

  it('has nothing to say when the whole was asked for', async () => {
    const { stderr } = await vcp(home, ['call', 'Sample', '--json', '{}', '--url', url]);
    expect(stderr).toBe('');
  });
});
