// What `vcp serve` prints can be pasted, wherever the key comes from; what it writes is its owner's alone.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestOf } from '../support/manifest.ts';
import {
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const KEY = 'a-key-of-the-operator';
let home: ReturnType<typeof temporaryHome>;
let server: ServerProcess | null = null;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(async () => {
  server?.kill('SIGTERM');
  await server?.exit;
  server = null;
  home.remove();
});

const start = async (environment: Record<string, string> = {}): Promise<ServerProcess> => {
  const { sha256 } = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE });
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256!, ...environment });
  return server;
};
const pasted = (printed: string, environment: Record<string, string> = {}) => {
  const line = /^curl .*$/m.exec(printed)?.[0] ?? '';
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8', cwd: '/', env })) as object;
};

describe('the printed line works when the key is', () => {
  it.each([
    ['plain', `VCP_API_KEY=${KEY}`],
    ['in double quotes', `VCP_API_KEY="${KEY}"`],
    ['in single quotes', `VCP_API_KEY='${KEY}'`],
    ['exported', `export VCP_API_KEY=${KEY}`],
    ['spaced out', `  VCP_API_KEY = ${KEY}`],
    ['followed by a remark', `VCP_API_KEY=${KEY} # of the operator`],
    ['among others', `# VCP_API_KEY=old\nVCP_SERVER_ID=here\nVCP_API_KEY=${KEY}\nMY_VCP_API_KEY=other`],
  ])('in config.env, %s', async (_, text) => {
    writeFileSync(join(home.root, 'config.env'), `${text}\n`);
    const { stdout } = await start();
    expect(stdout()).toContain(`key:   VCP_API_KEY in ${join(home.root, 'config.env')}`);
    expect(stdout()).not.toContain(KEY);
    expect(pasted(stdout())).toMatchObject({ status: 'success', tool: { name: 'Echo' } });
  });

  it('in the environment', async () => {
    const { stdout } = await start({ VCP_API_KEY: KEY });
    expect(stdout()).toContain('key:   the one in VCP_API_KEY');
    expect(stdout()).not.toContain(KEY);
    expect(pasted(stdout(), { VCP_API_KEY: KEY })).toMatchObject({ status: 'success' });
  });

  it('in both: that of the environment is in force', async () => {
    writeFileSync(join(home.root, 'config.env'), 'VCP_API_KEY=another-key-of-the-file\n');
    const { stdout } = await start({ VCP_API_KEY: KEY });
    expect(stdout()).toContain('key:   the one in VCP_API_KEY');
    expect(pasted(stdout(), { VCP_API_KEY: KEY })).toMatchObject({ status: 'success' });
  });
});

describe('the printed example', () => {
  const withExample = (name: string, commands: object[]) => {
    const { capabilities: _, ...rest } = manifestOf({ name, command: './run.sh', args: ['echo "$FRAME"'] });
    writePlugin(home.plugins, { name, more: { ...rest, capabilities: { invocationCommands: commands } } });
  };
  const command = (commandIdentifier: string, idempotent: boolean) => ({
    commandIdentifier,
    description: 'd',
    inputSchema: { type: 'object', properties: { command: { const: commandIdentifier } } },
    outputSchema: true,
    examples: [{ arguments: { command: commandIdentifier, text: "it's" } }],
    idempotent,
  });

  it('is of a command that changes nothing, though others come first', async () => {
    withExample('Alpha', [command('Remove', false)]);
    withExample('Beta', [command('Add', false), command('List', true)]);
    const { stdout } = await start();
    expect(stdout()).toContain('{"tool":"Beta","arguments":{"command":"List"');
  });

  it('is of the first command there is when all change something', async () => {
    withExample('Alpha', [command('Remove', false)]);
    const { stdout } = await start();
    expect(stdout()).toContain('{"tool":"Alpha","arguments":{"command":"Remove"');
  });
});

describe('what the server writes', () => {
  it.each([0o700, 0o755])('is its owner’s alone also in a data directory that was there with mode %o', async (mode) => {
    mkdirSync(home.data);
    chmodSync(home.data, mode);
    const running = await start();
    await running.call('Echo', { a: 1 });
    for (const file of ['vcp.sqlite', 'vcp.sqlite-wal', 'vcp.sqlite-shm', 'api-key'])
      expect([file, statSync(join(home.data, file)).mode & 0o777]).toEqual([file, 0o600]);
    for (const folder of ['resources', 'plugins', 'calls'])
      expect([folder, statSync(join(home.data, folder)).mode & 0o777]).toEqual([folder, 0o700]);
  });
});
