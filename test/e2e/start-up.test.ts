// What keeps a server from starting, and what does not.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ECHO_MODULE, startServerProcess, temporaryHome, vcp, writePlugin } from '../support/server-process.ts';
import { processesWith, until } from '../support/processes.ts';

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

describe('a server that cannot start', () => {
  it('says which port is in use, and ends with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const run = await vcp(home, ['serve'], { VCP_PORT: String(port), VCP_PLUGIN_DIRS: home.plugins });
    other.close();
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(run.stderr).toContain('VCP_PORT');
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(run.stdout).toBe('');
  });

  it('does no harm to the one that has the port: its running calls go on', async () => {
    writePlugin(home.plugins, {
      name: 'Files',
      command: './run.sh',
      args: [`sleep 1.5; ls -d "$VCP_PLUGIN_DATA_DIR"/../../calls/ti_* >&2 || exit 9; echo "$FRAME"`],
    });
    const server = await startServerProcess(home);
    const call = server.call('Files');
    await until('the call runs', () => processesWith(`${home.data}/plugins/Files`).length > 0);
    const run = await vcp(home, ['serve'], { VCP_PORT: new URL(server.url).port, VCP_PLUGIN_DIRS: home.plugins });
    expect(run.code).toBe(1);
    expect(await call).toMatchObject({ status: 'success' });
    server.kill('SIGTERM');
    await server.exit;
  });

  it('names every variable that is wrong, and ends with 2', async () => {
    const run = await vcp(home, ['serve'], {
      VCP_PORT: 'eighty',
      VCP_API_KEY: 'short',
      VCP_LOG_LEVEL: 'loud',
      VCP_PUBLIC_URL: 'ftp://x',
      VCP_LIMIT_JSON_DEPTH: '-3',
    });
    expect(run.code).toBe(2);
    for (const name of ['VCP_PORT', 'VCP_API_KEY', 'VCP_LOG_LEVEL', 'VCP_PUBLIC_URL', 'VCP_LIMIT_JSON_DEPTH'])
      expect(run.stderr).toContain(name);
    expect(run.stderr).not.toContain('short');
    expect(run.stdout).toBe('');
  });

  it('says so when its data directory is a file', async () => {
    writeFileSync(home.data, 'not a directory');
    const run = await vcp(home, ['serve'], { VCP_PORT: '0' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`its data directory ${home.data} cannot be used`);
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });
});

describe('a server that starts', () => {
  it('warns of nothing when nothing is wrong', async () => {
    const server = await startServerProcess(home, { VCP_LOG_LEVEL: 'info' });
    expect((await server.request('/v1/tools')).status).toBe(200);
    server.kill('SIGTERM');
    expect((await server.exit).code).toBe(0);
    const lines = server.stderr().split('\n');
    expect(lines.join()).toContain('server.stopped');
    expect(lines.filter((line) => /"level":"(?:warn|warning|error)"/.test(line))).toEqual([]);
  });

  it('warns about a variable that it does not know, and guesses what was meant', async () => {
    const server = await startServerProcess(home, { VCP_PROT: '1', VCP_LOGLEVEL: 'debug' });
    server.kill('SIGTERM');
    await server.exit;
    const warnings = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('configuration.unknown'));
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain('did you mean VCP_PORT');
    expect(warnings.join()).toContain('did you mean VCP_LOG_LEVEL');
  });

  it('logs no error when nothing is wrong', async () => {
    const server = await startServerProcess(home);
    expect((await server.request('/v1/tools')).status).toBe(200);
    server.kill('SIGTERM');
    await server.exit;
    expect(server.stderr()).not.toMatch(/error|not-started/i);
  });

  it('reads config.env in its directory, and the environment over it', async () => {
    writeFileSync(
      join(home.root, 'config.env'),
      'VCP_SERVER_ID=from-file\nVCP_API_KEY=a-key-from-the-file\nVCP_LOG_LEVEL=error\n',
    );
    const run = await vcp(home, ['config', '--json'], { VCP_LOG_LEVEL: 'debug' });
    expect(JSON.parse(run.stdout)).toMatchObject({
      configuration: { VCP_SERVER_ID: 'from-file', VCP_LOG_LEVEL: 'debug', VCP_API_KEY: '********' },
    });
    expect(run.stdout + run.stderr).not.toContain('a-key-from-the-file');
  });

  it('shares one data directory and one key with others that start in the same moment', async () => {
    const { sha256 } = writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE });
    const servers = await Promise.all([1, 2, 3].map(() => startServerProcess(home, { VCP_TRUSTED_MODULES: sha256! })));
    expect(new Set(servers.map(({ key }) => key)).size).toBe(1);
    const results = await Promise.all(servers.map((server) => server.call('Echo', { port: server.url })));
    for (const server of servers) {
      for (const { id } of results) expect((await server.request(`/v1/results/${id}`)).status).toBe(200);
    }
    for (const server of servers) server.kill('SIGTERM');
    for (const server of servers) expect(await server.exit).toEqual({ code: 0, signal: null });
  });
});

/** A file system of 1 MB, where this user may mount one. */
const tryMount = (path: string): string | null => {
  try {
    mkdirSync(path);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `this user may not mount a tmpfs: ${(error as { stderr?: Buffer }).stderr?.toString().trim() ?? String(error)}`;
  }
};

describe('a data directory that takes nothing more', () => {
  const unmount = () => {
    try {
      execFileSync('umount', ['-l', home.data], { stdio: 'pipe' });
    } catch {
      // It was never mounted.
    }
  };
  afterEach(unmount);

  const plugins = () => {
    writePlugin(home.plugins, { name: 'Shell', command: './run.sh', args: ['echo "$FRAME"'] });
    return writePlugin(home.plugins, { name: 'Echo', module: 'echo.mjs', moduleText: ECHO_MODULE }).sha256!;
  };

  it('because it is full: a call is answered with a warning, and stored again once there is room', async ({ skip }) => {
    const reason = tryMount(home.data);
    if (reason !== null) skip(reason);
    const server = await startServerProcess(home, { VCP_TRUSTED_MODULES: plugins() });
    expect(await server.call('Echo', { n: 1 })).toMatchObject({ status: 'success', warnings: [] });
    const filler = join(home.data, 'filler');
    try {
      for (const size of [64 * 1024, 4 * 1024])
        for (let index = 0; index < 300; index += 1) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
    try {
      for (let index = 0; index < 300; index += 1) writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
    } catch {
      // Full to the last page.
    }
    const results = await Promise.all([server.call('Echo', { n: 2, text: 'x'.repeat(100_000) }), server.call('Shell')]);
    for (const result of results) {
      expect(result.status).toBe('success');
      expect(result.warnings.map(({ code }) => code)).toContain('RESULT_NOT_STORED');
      expect(result.execution.recordId).toBeNull();
      expect((await server.request(`/v1/results/${result.id}`)).status).toBe(404);
    }
    rmSync(filler);
    const after = await server.call('Echo', { n: 3 });
    expect(after).toMatchObject({ status: 'success', warnings: [] });
    expect((await server.request(`/v1/results/${after.id}`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await server.exit).toEqual({ code: 0, signal: null });
  });

  it('because it is read-only: the server says so and ends with 1', async ({ skip }) => {
    const reason = tryMount(home.data);
    if (reason !== null) skip(reason);
    execFileSync('mount', ['-o', 'remount,ro', home.data]);
    const run = await vcp(home, ['serve'], { VCP_PORT: '0' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`its data directory ${home.data} cannot be used`);
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });
});

it('makes a new key when the file was deleted, and says where it is', async () => {
  const first = await startServerProcess(home);
  first.kill('SIGTERM');
  await first.exit;
  rmSync(join(home.data, 'api-key'));
  const second = await startServerProcess(home);
  expect(second.key).not.toBe(first.key);
  expect(readFileSync(join(home.data, 'api-key'), 'utf8').trim()).toBe(second.key);
  second.kill('SIGTERM');
  await second.exit;
});
