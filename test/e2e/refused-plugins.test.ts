// A bad plugin is refused alone, with its reason.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestOf, sha256OfFile } from '../support/manifest.ts';
import {
  ECHO_MODULE,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const home = temporaryHome();
const more = join(home.root, 'more-plugins');

const write = (folder: string, text: string, directory = home.plugins) => {
  mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(join(directory, folder, 'plugin-manifest.json'), text);
};
const manifest = (name: string, changes: object = {}) => JSON.stringify({ ...manifestOf({ name }), ...changes });
const withInput = (name: string, inputSchema: unknown) => JSON.stringify(manifestOf({ name, inputSchema }));

let server: ServerProcess;
let untrusted: string;
beforeAll(async () => {
  const { sha256 } = writePlugin(home.plugins, { name: 'Good', module: 'main.mjs', moduleText: ECHO_MODULE });
  writePlugin(home.plugins, { name: 'AlsoGood', command: './run.sh', args: ['echo "$FRAME"'] });
  write('BadJson', '{"name": "BadJson",');
  write('BadJsonProto', '{"name":"BadJsonProto","__proto__":{"enabled":true}}');
  write('DeepJson', `{"name":${'['.repeat(10_000)}${']'.repeat(10_000)}}`);
  write('NoManifestVersion', manifest('NoManifestVersion', { manifestVersion: undefined }));
  write('UnknownField', manifest('UnknownField', { surprise: true }));
  write('BadName', manifest('../escape'));
  write('BadSchema', withInput('BadSchema', { type: 'objekt' }));
  write(
    'UnsafePattern',
    withInput('UnsafePattern', { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }),
  );
  write('RemoteReference', withInput('RemoteReference', { $ref: 'https://127.0.0.1:1/schema.json' }));
  write(
    'Wasm',
    manifest('Wasm', { entryPoint: { type: 'wasm', file: 'main.wasm' }, communication: { protocol: 'direct' } }),
  );
  write(
    'Escaping',
    manifest('Escaping', {
      entryPoint: { type: 'module', file: '../Good/main.mjs' },
      communication: { protocol: 'direct' },
    }),
  );
  write(
    'NoModule',
    manifest('NoModule', {
      entryPoint: { type: 'module', file: 'missing.mjs' },
      communication: { protocol: 'direct' },
    }),
  );
  write('Mismatch', manifest('Mismatch', { communication: { protocol: 'direct' } }));
  write('Distributed', manifest('Distributed', { communication: { protocol: 'distributed' } }));
  write('NoCommands', manifest('NoCommands', { capabilities: { invocationCommands: [] } }));
  write(
    'NeedsConfiguration',
    manifest('NeedsConfiguration', {
      configSchema: { type: 'object', properties: { API_TOKEN: { type: 'string' } }, required: ['API_TOKEN'] },
    }),
  );
  writePlugin(home.plugins, { name: 'Untrusted', module: 'main.mjs', moduleText: 'throw new Error("was loaded");\n' });
  untrusted = sha256OfFile(join(home.plugins, 'Untrusted', 'main.mjs'));
  write('ZDuplicate', manifest('Good'), more);
  write('Empty', '', more);
  mkdirSync(join(more, 'NoManifest'));
  writeFileSync(join(more, 'a-file'), 'not a plugin');
  server = await startServerProcess(home, {
    VCP_PLUGIN_DIRS: `${home.plugins}, ${more}, ${join(home.root, 'not-there')}`,
    VCP_TRUSTED_MODULES: sha256!,
  });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

type Listing = {
  tools: { name: string }[];
  refused?: { name: string | null; location: string; reason: string; issues: { pointer: string }[] }[];
};
const listing = async (query = '') => (await (await server.request(`/v1/tools${query}`)).json()) as Listing;

describe('a plugin that cannot be served', () => {
  it.each<[string, RegExp, string?]>([
    ['BadJson', /cannot be read.*not JSON/],
    ['BadJsonProto', /__proto__/],
    ['DeepJson', /deeper than 64/],
    ['NoManifestVersion', /manifestVersion/, '/manifestVersion'],
    ['UnknownField', /surprise/],
    ['BadName', /name/, '/name'],
    ['BadSchema', /objekt|type/, '/capabilities/invocationCommands/0/inputSchema'],
    ['UnsafePattern', /\(a\+\)\+/, '/capabilities/invocationCommands/0/inputSchema/properties/text/pattern'],
    ['RemoteReference', /127\.0\.0\.1:1/, '/capabilities/invocationCommands/0/inputSchema'],
    ['Wasm', /its module "main.wasm" is not in the plugin's folder/],
    ['Escaping', /inside the plugin directory/, '/entryPoint/file'],
    ['NoModule', /missing\.mjs.*cannot be read/],
    ['Mismatch', /"module" or "wasm"/, '/entryPoint/type'],
    ['Distributed', /distributed.*not served/],
    ['NoCommands', /at least one command/, '/capabilities/invocationCommands'],
    ['NeedsConfiguration', /API_TOKEN/],
    ['Untrusted', /not trusted.*VCP_TRUSTED_MODULES/],
    ['ZDuplicate', /the name "Good" is taken by the plugin in .*Good\/plugin-manifest\.json/],
    ['Empty', /cannot be read/],
  ])('is listed with its reason: %s', async (folder, reason, pointer) => {
    const refused = (await listing('?include=refused')).refused?.find(({ location }) =>
      location.endsWith(`${folder}/plugin-manifest.json`),
    );
    expect(refused?.reason).toMatch(reason);
    if (pointer !== undefined)
      expect(refused?.issues.map((issue) => issue.pointer).find((found) => found.startsWith(pointer))).toBeDefined();
    // And the operator finds the same in the log.
    expect(server.stderr()).toContain(`${folder}/plugin-manifest.json`);
  });

  it('is told by its SHA-256 when it is an untrusted module, and that digest is all it takes', async () => {
    const refused = (await listing('?include=refused')).refused?.find(({ name }) => name === 'Untrusted');
    expect(refused?.reason).toContain(untrusted);
    expect(server.stderr()).not.toContain('was loaded');
    const other = await startServerProcess(home, { VCP_TRUSTED_MODULES: untrusted });
    const { tools } = (await (await other.request('/v1/tools')).json()) as Listing;
    expect(tools.map(({ name }) => name)).toContain('Untrusted');
    // Trusted, but it throws while it is loaded: the call says so, the server lives.
    expect(await other.call('Untrusted')).toMatchObject({
      status: 'error',
      error: { code: 'INTERNAL_ERROR', message: expect.stringContaining('was loaded') as unknown },
    });
    expect(await other.call('AlsoGood')).toMatchObject({ status: 'success' });
    other.kill('SIGTERM');
    await other.exit;
  });

  it('is refused alone', async () => {
    const { tools, refused } = await listing();
    expect(tools.map(({ name }) => name)).toEqual(['AlsoGood', 'Good', 'ResultReader', 'TaskScheduler']);
    expect(refused).toBeUndefined();
    expect(await server.call('Good', { n: 1 })).toMatchObject({ status: 'success', data: { n: 1 } });
    expect(await server.call('AlsoGood')).toMatchObject({ status: 'success' });
    expect(server.stderr()).toContain(join(home.root, 'not-there'));
    expect(server.stdout()).toMatch(/20 refused/);
  });

  it('cannot be called', async () => {
    expect(await server.call('Wasm')).toMatchObject({ status: 'error', error: { code: 'TOOL_NOT_FOUND' } });
  });

  it('is shown by the command line', async () => {
    const run = await vcp(home, ['tools', '--refused', '--url', server.url]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('refused: Untrusted in ');
    expect(run.stdout).toContain(untrusted);
  });
});
