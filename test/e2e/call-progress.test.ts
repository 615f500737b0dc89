// `vcp call` while a tool takes its time: what shows, what does not, and what Ctrl-C does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/manifest.ts';
import { hasTerminals, KEYS, vcpOnTerminal } from '../support/terminal.ts';
import {
  cleanEnvironment,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const home = temporaryHome();
const goOn = join(home.root, 'go-on');
let server: ServerProcess;
let environment: Record<string, string>;
beforeAll(async () => {
  const report = (payload: object) => `echo '${JSON.stringify({ vcp: 'progress', version: '1.0', payload })}'`;
  const script = [
    report({ stage: 'half', progress: 0.5, message: 'so far\u001B[31m' }),
    `while [ ! -e '${goOn}' ]; do sleep 0.1; done`,
    'echo "$FRAME"',
  ];
  writePlugin(home.plugins, { name: 'Works', command: './run.sh', args: [script.join('; ')] });
  server = await startServerProcess(home);
  environment = { VCP_URL: server.url };
}, 120_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const waitFor = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(50);
};
const statuses = async (): Promise<string[]> => {
  const { records } = (await (await server.request('/v1/records')).json()) as { records: { status: string }[] };
  return records.map(({ status }) => status);
};

describe('Ctrl-C', () => {
  it('cancels the call on the server, and ends with 130', async () => {
    const child = spawn(
      process.execPath,
      [join(repositoryRoot, 'adapters/node/cli.ts'), 'call', 'Works', '--progress'],
      {
        cwd: home.root,
        env: cleanEnvironment(home, environment),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'exit');
    await waitFor(() => stderr.includes('progress: '));
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    expect(stderr).toContain('cancel');
    await waitFor(async () => (await statuses()).includes('cancelled'));
  }, 60_000);

  it('leaves a call under a key to go on, and says so', async () => {
    const args = ['call', 'Works', '--progress', '--idempotency-key', 'kept'];
    const child = spawn(process.execPath, [join(repositoryRoot, 'adapters/node/cli.ts'), ...args], {
      cwd: home.root,
      env: cleanEnvironment(home, environment),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'close');
    await waitFor(() => stderr.includes('progress: '));
    const before = await statuses();
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    expect(stderr).toContain('goes on at the server, and the same --idempotency-key gets its result');
    expect(stderr).not.toContain('cancel');
    writeFileSync(goOn, '');
    await waitFor(async () => (await statuses()).length > before.length);
    expect((await statuses())[0]).toBe('success');
    rmSync(goOn);
  }, 60_000);
});

describe.skipIf(!hasTerminals)('on a terminal (skipped without util-linux script)', () => {
  it('a line shows how far the call is, and is gone at its end', async () => {
    const terminal = vcpOnTerminal(home, ['call', 'Works'], environment, '> result.json');
    await terminal.waitFor('50%');
    expect(terminal.text()).toContain('━━━━━━━━━━──────────');
    expect(terminal.text()).toContain('half');
    writeFileSync(goOn, '');
    expect(await terminal.exit).toBe(0);
    expect(terminal.raw().endsWith('\r\u001B[2K')).toBe(true);
    expect(terminal.raw()).not.toContain('\u001B[31m');
  }, 60_000);

  it('Ctrl-C erases it and ends with 130', async () => {
    rmSync(goOn, { force: true });
    const terminal = vcpOnTerminal(home, ['call', 'Works'], environment);
    await terminal.waitFor('50%');
    terminal.type(KEYS.interrupt);
    expect(await terminal.exit).toBe(130);
    expect(terminal.text()).toContain('interrupted');
  }, 60_000);
});

describe('in a pipe', () => {
  it('nothing shows', async () => {
    if (!existsSync(goOn)) writeFileSync(goOn, '');
    const { code, stderr } = await vcp(home, ['call', 'Works'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('unless a line for each report is asked for', async () => {
    const { stdout, stderr } = await vcp(home, ['call', 'Works', '--progress'], environment);
    expect(stderr).toBe('progress: half  50%  so far\n');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success' });
  });
});
