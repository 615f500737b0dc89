// A server whose plugins and configuration change while it runs.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { PluginStatus } from '../../src/protocol/plugin-listing.ts';
import type { RefusedPlugin } from '../../src/protocol/tool-description.ts';
import { manifestOf, sha256OfFiles, type PluginSpec } from '../support/manifest.ts';
import { processesWith, until } from '../support/processes.ts';
import {
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type CommandRun,
  type ServerProcess,
} from '../support/server-process.ts';

const PATIENCE_MS = 25_000;
// Each of these starts several processes, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let home: ReturnType<typeof temporaryHome>;
let servers: ServerProcess[];
beforeEach(() => {
  home = temporaryHome();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.kill('SIGTERM');
  await Promise.all(servers.map(({ exit }) => exit));
  home.remove();
});

const start = async (environment: Record<string, string | undefined> = {}) => {
  const server = await startServerProcess(home, environment);
  servers.push(server);
  return server;
};
const stop = async (server: ServerProcess) => {
  server.kill('SIGTERM');
  await server.exit;
};

/** Replaces a file as a careful tool does: whole, or not at all. */
const put = (path: string, text: string) => {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
};
const pathOf = (name: string, file: string) => join(home.plugins, name, file);
const putManifest = (spec: PluginSpec) =>
  put(pathOf(spec.name, 'plugin-manifest.json'), JSON.stringify(manifestOf(spec)));

/** A program that answers with `word`, after as many seconds as it is asked to wait. */
const program = (word: string) =>
  `read -r frame
case "$frame" in *'"wait":'*) sleep 3;; esac
printf '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":"${word}"}}\\n'
`;
const spec = (version: string, more: Record<string, unknown> = {}): PluginSpec => ({
  name: 'Tool',
  command: 'sh',
  args: ['tool.sh'],
  more: { version, ...more },
});
const install = (word = 'one') => {
  writePlugin(home.plugins, spec('1.0.0'));
  writeFileSync(pathOf('Tool', 'tool.sh'), program(word));
};

const answerOf = ({ status, data, error, tool }: CanonicalToolResult) => [status, data ?? error?.code, tool.version];
const list = async (server: ServerProcess) =>
  ((await (await server.request('/v1/plugins')).json()) as { plugins: PluginStatus[] }).plugins.filter(
    ({ location }) => !location.startsWith('built-in:'),
  );
const refused = async (server: ServerProcess) =>
  ((await (await server.request('/v1/tools?include=refused')).json()) as { refused: RefusedPlugin[] }).refused;
const answers = (server: ServerProcess, expected: readonly unknown[]) =>
  until(
    `Tool answers ${JSON.stringify(expected)}`,
    async () => JSON.stringify(answerOf(await server.call('Tool'))) === JSON.stringify(expected),
    PATIENCE_MS,
  );
const events = (server: ServerProcess, event: string) =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a plugin that is changed', () => {
  it('answers anew without a restart, while a running call ends on the old version', async () => {
    install();
    const server = await start();
    const long = server.call('Tool', { wait: 3 });
    await until('the long call runs', () => processesWith(`${home.data}/plugins/Tool`).length > 0, PATIENCE_MS);
    put(pathOf('Tool', 'tool.sh'), program('two'));
    putManifest(spec('1.1.0', { description: 'Now it says two.' }));
    await answers(server, ['success', 'two', '1.1.0']);
    expect(await (await server.request('/v1/tools/Tool')).json()).toMatchObject({ description: 'Now it says two.' });
    expect(answerOf(await long)).toEqual(['success', 'one', '1.0.0']);
    expect(events(server, 'plugin.reloaded').at(-1)).toMatchObject({ toolName: 'Tool', version: '1.1.0' });
  });

  it('and broken goes on in its last good version, says why with a pointer, and is taken over when it is mended', async () => {
    install();
    const server = await start();
    putManifest({ ...spec('2.0.0'), inputSchema: { type: 'objekt' } });
    await until('it is refused', async () => (await refused(server)).length === 1, PATIENCE_MS);
    expect(await refused(server)).toMatchObject([
      {
        name: 'Tool',
        serving: '1.0.0',
        issues: [{ pointer: '/capabilities/invocationCommands/0/inputSchema/type' }],
      },
    ]);
    expect(answerOf(await server.call('Tool'))).toEqual(['success', 'one', '1.0.0']);
    expect(await list(server)).toMatchObject([{ name: 'Tool', version: '1.0.0', state: 'stale' }]);
    const shown = await vcp(home, ['plugins', '--url', server.url]);
    expect(shown.stdout).toMatch(/^stale {4}Tool 1\.0\.0 .*\n {2}the newest is refused: .*objekt/m);
    expect(events(server, 'plugin.refused')).toMatchObject([{ toolName: 'Tool', serving: '1.0.0' }]);
    putManifest(spec('2.0.0'));
    await answers(server, ['success', 'one', '2.0.0']);
    expect(await refused(server)).toEqual([]);
  });

  it('loses no call and fails none, however often it is changed under load', async () => {
    const echo = (version: number) =>
      `import { word } from './word.mjs';
export const processToolCall = async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { status: 'success', data: word };
};
// ${version}\n`;
    install();
    writePlugin(home.plugins, { name: 'Inside', module: 'main.mjs', moduleText: echo(0) });
    const wordModule = (change: number) => `export const word = 'word ${change}';\n`;
    writeFileSync(pathOf('Inside', 'word.mjs'), wordModule(0));
    const trusted = Array.from({ length: 21 }, (_, change) =>
      sha256OfFiles({ 'main.mjs': echo(0), 'word.mjs': wordModule(change) }),
    ).join(',');
    const worker = (description: string): PluginSpec => ({
      name: 'Worker',
      command: 'node',
      args: ['worker.mjs'],
      more: { description, communication: { protocol: 'stdio', mode: 'worker' } },
    });
    writePlugin(home.plugins, worker('Version 0.'));
    const server = await start({ VCP_TRUSTED_MODULES: trusted, VCP_LIMIT_RELOAD_QUIET_MS: '20' });
    let isOver = false;
    const results: CanonicalToolResult[] = [];
    const caller = async (tool: string) => {
      while (!isOver) results.push(await server.call(tool, tool === 'Worker' ? { do: 'echo' } : {}));
    };
    const callers = ['Tool', 'Tool', 'Worker', 'Worker', 'Worker', 'Inside', 'Inside', 'Inside'].map(caller);
    for (let change = 1; change <= 20; change += 1) {
      put(pathOf('Tool', 'tool.sh'), program(`word ${change}`));
      putManifest(spec(`1.0.${change}`, { communication: { protocol: 'stdio', concurrency: 1 + (change % 3) } }));
      put(pathOf('Inside', 'word.mjs'), wordModule(change));
      putManifest(worker(`Version ${change}.`));
      await until(
        `change ${change} is taken over`,
        () => events(server, 'plugin.reloaded').some(({ version }) => version === `1.0.${change}`),
        PATIENCE_MS,
      );
    }
    await answers(server, ['success', 'word 20', '1.0.20']);
    await until('the module is the last', async () => (await server.call('Inside')).data === 'word 20', PATIENCE_MS);
    isOver = true;
    await Promise.all(callers);
    expect(results.filter(({ status }) => status !== 'success').map(answerOf)).toEqual([]);
    expect(new Set(results.map(({ data }) => JSON.stringify(data))).size).toBeGreaterThan(3);
    expect(events(server, 'call.fault')).toEqual([]);
  });

  it('inside the server is loaded with what it imports, CommonJS too', async () => {
    const moduleText = `import { word } from '../word.mjs';
import part from '../part.cjs';
export const processToolCall = () => ({ status: 'success', data: word + part.word });\n`;
    // The entry lies in a folder of its own, and what it imports does not.
    mkdirSync(pathOf('Inside', 'lib'), { recursive: true });
    writePlugin(home.plugins, { name: 'Inside', module: 'lib/main.mjs', moduleText });
    const files = (word: string) => ({
      'deeper/b.cjs': `exports.word = '${word}';\n`,
      'part.cjs': `exports.word = require('./deeper/b.cjs').word;\n`,
      'word.mjs': `export const word = '${word}';\n`,
    });
    mkdirSync(pathOf('Inside', 'deeper'));
    const write = (word: string) => {
      for (const [name, text] of Object.entries(files(word))) put(pathOf('Inside', name), text);
    };
    write('a');
    const trusted = ['a', 'b', 'c'].map((word) => sha256OfFiles({ 'lib/main.mjs': moduleText, ...files(word) }));
    const server = await start({ VCP_TRUSTED_MODULES: trusted.join(',') });
    for (const word of ['a', 'b', 'c']) {
      write(word);
      await until(word, async () => (await server.call('Inside')).data === word + word, PATIENCE_MS);
    }
    // A digest of the operator's list is what it takes, so new code of the module itself waits for that.
    put(pathOf('Inside', 'lib/main.mjs'), moduleText.replace('word + part.word', '"new"'));
    await until('it is refused', async () => (await refused(server)).length === 1, PATIENCE_MS);
    expect((await refused(server))[0]).toMatchObject({
      serving: '1.0.0',
      reason: expect.stringMatching('not trusted'),
    });
    expect((await server.call('Inside')).data).toBe('cc');
    put(pathOf('Inside', 'lib/main.mjs'), moduleText);
    await until('it is served again', async () => (await refused(server)).length === 0, PATIENCE_MS);
    // And so does new code of anything that it imports.
    const changed = { 'lib/main.mjs': moduleText, ...files('c'), 'deeper/b.cjs': `exports.word = 'd';\n` };
    put(pathOf('Inside', 'deeper/b.cjs'), changed['deeper/b.cjs']);
    await until('it is refused', async () => (await refused(server)).length === 1, PATIENCE_MS);
    expect((await refused(server))[0]?.reason).toContain(
      `add its SHA-256 ${sha256OfFiles(changed)} to VCP_TRUSTED_MODULES (of the 4 files that it can import)`,
    );
    expect((await server.call('Inside')).data).toBe('cc');
  });

  it('inside the server runs nothing that its digest does not cover', async () => {
    const modules = {
      Outside: `import { word } from '../elsewhere.mjs';\nexport const processToolCall = () => word;\n`,
      Lazy: `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
export const processToolCall = () => ({ status: 'success', data: require('./notes.txt') });\n`,
      Late: `export const processToolCall = async () => ({ status: 'success', data: (await import('./late.mjs')).word });\n`,
    };
    writeFileSync(join(home.plugins, 'elsewhere.mjs'), `export const word = 'never looked at';\n`);
    const digests = Object.entries(modules).map(
      ([name, moduleText]) => writePlugin(home.plugins, { name, module: 'main.mjs', moduleText }).sha256,
    );
    writeFileSync(pathOf('Lazy', 'notes.txt'), 'module.exports = 1;\n');
    const late = `export const word = 'as trusted';\n`;
    writeFileSync(pathOf('Late', 'late.mjs'), late);
    digests.push(sha256OfFiles({ 'main.mjs': modules.Late, 'late.mjs': late }));
    const server = await start({ VCP_TRUSTED_MODULES: digests.join(','), VCP_WATCH: 'false' });
    const messageOf = async (tool: string) => (await server.call(tool)).error?.message;
    expect(await messageOf('Outside')).toContain(`it imports "../elsewhere.mjs", which is not in the plugin's folder`);
    expect(await messageOf('Lazy')).toContain('notes.txt is not what was trusted by its SHA-256');
    // Changed after it was judged, and before it is imported.
    writeFileSync(pathOf('Late', 'late.mjs'), late.replace('as trusted', 'changed'));
    expect(await messageOf('Late')).toContain('late.mjs is not what was trusted by its SHA-256');
    writeFileSync(pathOf('Late', 'late.mjs'), late);
    await until('the trusted file is back', async () => (await server.call('Late')).data === 'as trusted', PATIENCE_MS);
  });

  it('is not taken over by itself with VCP_WATCH=false, but by SIGHUP and by the command line', async () => {
    install();
    const server = await start({ VCP_WATCH: 'false' });
    putManifest(spec('2.0.0'));
    server.kill('SIGHUP');
    await answers(server, ['success', 'one', '2.0.0']);
    putManifest(spec('3.0.0'));
    const reload = await vcp(home, ['plugins', 'reload', '--url', server.url]);
    expect(reload).toEqual({ code: 0, stdout: 'reloaded Tool 3.0.0 (was 2.0.0)\n', stderr: '' });
    put(pathOf('Tool', 'plugin-manifest.json'), '{');
    const broken = await vcp(home, ['plugins', 'reload', '--json', '--url', server.url]);
    expect([broken.code, JSON.parse(broken.stdout)]).toMatchObject([
      1,
      { changes: [{ change: 'refused', name: 'Tool', version: '3.0.0' }], configuration: { errors: [] } },
    ]);
    rmSync(join(home.plugins, 'Tool'), { recursive: true });
    expect((await vcp(home, ['plugins', 'reload', '--url', server.url])).stdout).toBe(
      'retired  Tool 3.0.0 (removed)\n',
    );
    expect((await vcp(home, ['plugins', 'reload', '--url', server.url])).stdout).toBe('nothing has changed\n');
    expect(answerOf(await server.call('Tool'))).toEqual(['error', 'TOOL_NOT_FOUND', null]);
  });
});

describe('a plugin that is switched off', () => {
  const told = ({ code, stdout }: CommandRun) => [code, stdout.split(' ')[0]];

  it('takes no more calls at once and after a restart, until it is switched on again', async () => {
    install();
    const server = await start();
    const long = server.call('Tool', { wait: 3 });
    await until('the long call runs', () => processesWith(`${home.data}/plugins/Tool`).length > 0, PATIENCE_MS);
    expect(told(await vcp(home, ['plugins', 'disable', 'Tool', '--url', server.url]))).toEqual([0, 'disabled']);
    expect(answerOf(await server.call('Tool'))).toEqual(['error', 'TOOL_DISABLED', '1.0.0']);
    expect(answerOf(await long)).toEqual(['success', 'one', '1.0.0']);
    await stop(server);

    const again = await start();
    expect(answerOf(await again.call('Tool'))).toEqual(['error', 'TOOL_DISABLED', '1.0.0']);
    expect(told(await vcp(home, ['plugins', 'enable', 'Tool', '--url', again.url]))).toEqual([0, 'serving']);
    expect(answerOf(await again.call('Tool'))).toEqual(['success', 'one', '1.0.0']);
    expect(events(again, 'plugin.switched')).toMatchObject([{ toolName: 'Tool', enabled: true, by: 'default' }]);
  });

  it('by its manifest is switched on by its operator, who is asked first', async () => {
    writePlugin(home.plugins, spec('1.0.0', { enabled: false }));
    writeFileSync(pathOf('Tool', 'tool.sh'), program('one'));
    const server = await start();
    expect(answerOf(await server.call('Tool'))).toEqual(['error', 'TOOL_DISABLED', '1.0.0']);
    const patch = (enabled: boolean | null) =>
      server.request('/v1/plugins/Tool', { method: 'PATCH', body: JSON.stringify({ enabled }) });
    expect(await (await patch(true)).json()).toMatchObject({ state: 'serving', switchedBy: 'operator' });
    expect(answerOf(await server.call('Tool'))).toEqual(['success', 'one', '1.0.0']);
    expect(await (await patch(null)).json()).toMatchObject({ state: 'disabled', switchedBy: 'manifest' });
  });

  it('on one of two servers of a data directory is so on the other', async () => {
    install();
    const [one, other] = [await start(), await start()];
    await vcp(home, ['plugins', 'disable', 'Tool', '--url', one.url]);
    await answers(other, ['error', 'TOOL_DISABLED', '1.0.0']);
    await vcp(home, ['plugins', 'enable', 'Tool', '--url', other.url]);
    await answers(one, ['success', 'one', '1.0.0']);
  });

  it('reaches no file outside the switches by the name that a refused plugin gives itself', async () => {
    install();
    mkdirSync(join(home.plugins, 'Evil'));
    writeFileSync(pathOf('Evil', 'plugin-manifest.json'), JSON.stringify(manifestOf({ name: '../keys' })));
    const server = await start();
    const keys = join(home.data, 'keys.json');
    writeFileSync(keys, '{"version":1,"defaultKey":true,"keys":[]}', { mode: 0o600 });
    for (const enabled of [true, null]) {
      const body = JSON.stringify({ enabled });
      expect((await server.request('/v1/plugins/..%2Fkeys', { method: 'PATCH', body })).status).toBe(404);
    }
    expect(readFileSync(keys, 'utf8')).toContain('"version":1');
    expect(await list(server)).toMatchObject([{ name: null, reason: expect.stringContaining('"../keys"') }, {}]);
  });

  it('is named in a sentence when there is no such plugin', async () => {
    install();
    const server = await start();
    const { code, stderr } = await vcp(home, ['plugins', 'disable', 'Toll', '--url', server.url]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'vcp: there is no plugin "Toll"; did you mean "Tool"?\n' });
  });
});

describe('a configuration that is changed', () => {
  const file = () => join(home.root, 'config.env');

  it('is taken over as far as a running server can, and what needs a restart is named', async () => {
    install();
    writeFileSync(file(), 'VCP_LOG_LEVEL=error\n');
    const server = await start({ VCP_WATCH: 'true' });
    await server.call('Tool');
    expect(events(server, 'call.finished')).toEqual([]);
    put(file(), 'VCP_LOG_LEVEL=info\nVCP_SERVER_ID=other\nVCP_CORS_ORIGINS=https://a.example\n');
    await until(
      'the level is applied',
      async () => {
        await server.call('Tool');
        return events(server, 'call.finished').length > 0;
      },
      PATIENCE_MS,
    );
    expect(events(server, 'configuration.needs-restart')).toMatchObject([{ name: 'VCP_SERVER_ID' }]);
    const page = await server.request('/healthz', { headers: { origin: 'https://a.example' } });
    expect(page.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect((await server.call('Tool')).origin.serverId).toBe('local');
  });

  it('and wrong leaves the last good one in force', async () => {
    install();
    writeFileSync(file(), 'VCP_LOG_LEVEL=info\n');
    const server = await start();
    put(file(), 'VCP_LOG_LEVEL=loud\nVCP_CORS_ORIGINS=https://a.example\n');
    await until('it is refused', () => events(server, 'configuration.refused').length > 0, PATIENCE_MS);
    expect(events(server, 'configuration.refused')[0]?.['reason']).toMatch(/^VCP_LOG_LEVEL must be debug/);
    const page = await server.request('/healthz', { headers: { origin: 'https://a.example' } });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('may name other plugin directories and other trusted modules', async () => {
    const more = join(home.root, 'more');
    mkdirSync(more);
    install();
    const { sha256 } = writePlugin(more, {
      name: 'Inside',
      module: 'main.mjs',
      moduleText: 'export const processToolCall = () => ({ status: "success", data: "in" });\n',
    });
    writeFileSync(file(), `VCP_PLUGIN_DIRS=${home.plugins}\n`);
    const server = await start({ VCP_PLUGIN_DIRS: undefined });
    expect(answerOf(await server.call('Tool'))).toEqual(['success', 'one', '1.0.0']);
    put(file(), `VCP_PLUGIN_DIRS=${more}\n`);
    await until('the module is refused', async () => (await refused(server)).length === 1, PATIENCE_MS);
    expect((await refused(server))[0]?.reason).toContain(sha256);
    expect(answerOf(await server.call('Tool'))).toEqual(['error', 'TOOL_NOT_FOUND', null]);
    put(file(), `VCP_PLUGIN_DIRS=${more}\nVCP_TRUSTED_MODULES=${sha256}\n`);
    await until('it is served', async () => (await server.call('Inside')).data === 'in', PATIENCE_MS);
    // Taken back, it is gone: code that nobody trusts does not go on.
    put(file(), `VCP_PLUGIN_DIRS=${more}\n`);
    await until('it is gone', async () => (await server.call('Inside')).error?.code === 'TOOL_NOT_FOUND', PATIENCE_MS);
  });
});
