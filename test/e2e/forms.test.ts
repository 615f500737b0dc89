// A person at a terminal who calls a tool without saying everything, and a script that does the same.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTerminals, KEYS, vcpOnTerminal } from '../support/terminal.ts';
import {
  cleanEnvironment,
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;
let environment: Record<string, string>;
beforeAll(async () => {
  const command = (commandIdentifier: string, properties: Record<string, object>, required: string[]) => ({
    commandIdentifier,
    description: `What ${commandIdentifier} does.`,
    inputSchema: {
      type: 'object',
      properties: { command: { const: commandIdentifier }, ...properties },
      required: ['command', ...required],
      additionalProperties: false,
      $defs: { small: { type: 'integer', minimum: 1, maximum: 3 } },
    },
    outputSchema: true,
  });
  const capabilities = {
    invocationCommands: [
      command(
        'Book',
        {
          guest: { type: 'string', minLength: 2, description: 'Who comes.' },
          nights: { $ref: '#/$defs/small', type: 'integer' },
          room: { enum: ['single', 'double'] },
          breakfast: { type: 'boolean', default: false },
          wishes: { type: 'array', items: { type: 'string' } },
          extra: { type: 'object' },
        },
        ['guest', 'nights', 'room', 'breakfast', 'wishes'],
      ),
      command('Open', { pin: { type: 'string', writeOnly: true } }, ['pin']),
    ],
  };
  const { sha256 } = writePlugin(home.plugins, {
    name: 'Hotel',
    module: 'echo.mjs',
    moduleText: ECHO_MODULE,
    more: { capabilities },
  });
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256! });
  environment = { VCP_URL: server.url };
}, 120_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const dataIn = (file: string): unknown =>
  (JSON.parse(readFileSync(join(home.root, file), 'utf8')) as { data: unknown }).data;
const callCount = async (): Promise<number> => {
  const response = await server.request('/v1/records?limit=1000');
  return ((await response.json()) as { records: unknown[] }).records.length;
};

describe.skipIf(!hasTerminals)('on a terminal (skipped without util-linux script)', () => {
  it('asks for everything, refuses what does not fit, and keeps stdout for the data', async () => {
    const terminal = vcpOnTerminal(home, ['call'], environment, '> asked.json');
    await terminal.waitFor('Which tool?');
    terminal.type(KEYS.enter);
    await terminal.waitFor('Which command of Hotel?');
    terminal.type(KEYS.enter);
    await terminal.waitFor('guest (string ≥ 2 characters)');
    await terminal.waitFor('Who comes.');
    terminal.type(`A${KEYS.enter}`);
    await terminal.waitFor('must have at least 2 characters');
    terminal.type(`da 漢${KEYS.enter}`);
    await terminal.waitFor('nights');
    terminal.type(`9${KEYS.enter}`);
    await terminal.waitFor('must be at most 3');
    terminal.type(`\u007F2${KEYS.enter}`);
    await terminal.waitFor('room');
    terminal.type(KEYS.down);
    await terminal.waitFor('● double');
    terminal.type(KEYS.enter);
    await terminal.waitFor('item 1');
    terminal.type(`sea view${KEYS.enter}`);
    await terminal.waitFor('item 2');
    terminal.type(KEYS.enter);
    await terminal.waitFor('Any optional arguments?');
    terminal.type(`${KEYS.down}${KEYS.space}${KEYS.enter}`);
    await terminal.waitFor('extra (object, as JSON)');
    terminal.type(`no${KEYS.enter}`);
    await terminal.waitFor('must be of type object');
    terminal.type(`\u007F\u007F{"late":true}${KEYS.enter}`);
    await terminal.waitFor('next time: ');
    expect(await terminal.exit).toBe(0);
    const expected = {
      command: 'Book',
      guest: 'Ada 漢',
      nights: 2,
      room: 'double',
      breakfast: false,
      wishes: ['sea view'],
      extra: { late: true },
    };
    expect(dataIn('asked.json')).toEqual(expected);

    const line = /next time: vcp (.*)/.exec(terminal.text())?.[1] ?? '';
    const again = spawnSync('sh', ['-c', `vcp() { '${process.execPath}' "$CLI" "$@"; }; vcp ${line} --no-input`], {
      cwd: home.root,
      encoding: 'utf8',
      env: cleanEnvironment(home, { ...environment, CLI: join(import.meta.dirname, '../../adapters/node/cli.ts') }),
    });
    expect((JSON.parse(again.stdout) as { data: unknown }).data).toEqual(expected);
  }, 120_000);

  it('asks only for what is missing, and shows no secret', async () => {
    const terminal = vcpOnTerminal(home, ['call', 'Hotel', '--command', 'Open'], environment, '> secret.json');
    await terminal.waitFor('pin');
    terminal.type(`hush-hush${KEYS.enter}`);
    await terminal.waitFor('next time: vcp call Hotel --command Open --arg pin=-');
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).not.toContain('hush');
    expect(dataIn('secret.json')).toMatchObject({ pin: 'hush-hush' });
  }, 60_000);

  it('takes the command that was given for the tool that is chosen', async () => {
    const args = ['call', '--command', 'Open', '--arg', 'pin=x'];
    const terminal = vcpOnTerminal(home, args, environment, '> chosen.json');
    await terminal.waitFor('Which tool?');
    terminal.type(KEYS.enter);
    await terminal.waitFor('next time: vcp call Hotel --command Open --arg pin=-');
    expect(await terminal.exit).toBe(0);
    expect(dataIn('chosen.json')).toEqual({ command: 'Open', pin: 'x' });
  }, 60_000);

  it('ends with 130 at Ctrl-C, and sends nothing', async () => {
    const before = await callCount();
    const terminal = vcpOnTerminal(home, ['call', 'Hotel'], environment);
    await terminal.waitFor('Which command');
    terminal.type(KEYS.interrupt);
    expect(await terminal.exit).toBe(130);
    expect(terminal.text()).toContain('nothing was sent');
    expect(await callCount()).toBe(before);
  }, 60_000);

  it.each<[string, string[], Record<string, string>]>([
    ['--no-input', ['--no-input'], {}],
    ['CI=true', [], { CI: 'true' }],
  ])(
    'asks nothing with %s',
    async (_, args, more) => {
      const terminal = vcpOnTerminal(home, ['call', 'Hotel', ...args], { ...environment, ...more });
      expect(await terminal.exit).toBe(2);
      expect(terminal.text()).toContain('Book, Open');
    },
    60_000,
  );

  it('prints what a person wants to read, and in a pipe the whole as JSON', async () => {
    const args = ['call', 'Hotel', '--json', '{"command":"Open","pin":"x"}'];
    const terminal = vcpOnTerminal(home, args, environment);
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toContain('✔ Hotel · Open: success');
    expect(terminal.text()).toContain('"pin": "x"');
    expect(terminal.text()).not.toContain('"protocol"');
    expect(terminal.raw()).toContain('\u001B[36m"pin"');
    const whole = vcpOnTerminal(home, [...args, '--view', 'canonical'], { ...environment, NO_COLOR: '1' });
    expect(await whole.exit).toBe(0);
    expect(whole.raw()).toContain('"protocol": {');
    expect(whole.raw()).not.toContain('\u001B[36m');
  }, 60_000);
});

describe('without a terminal', () => {
  it.each<[string, string[], string]>([
    ['the tool', ['call'], 'vcp tools'],
    ['the command', ['call', 'Hotel'], '--command with one of: Book, Open'],
    [
      'the arguments',
      ['call', 'Hotel', '--command', 'Book', '--arg', 'guest=Ada'],
      '--arg nights=… --arg room=… --arg wishes=…',
    ],
  ])('wrong usage names what is missing: %s', async (_, args, words) => {
    const { code, stdout, stderr } = await vcp(home, args, environment);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('JSON is taken as it is', async () => {
    const { code, stdout } = await vcp(home, ['call', 'Hotel', '--json', '{"command":"Book"}'], environment);
    expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([1, 'MISSING_ARGUMENT']);
  });
});
