// The configuration as an operator meets it: printed, read again, and wrong.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestOf } from '../support/manifest.ts';
import { startServerProcess, temporaryHome, vcp } from '../support/server-process.ts';

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

describe('vcp config', () => {
  it('prints an env file that loads to the same configuration', async () => {
    const environment = {
      VCP_PORT: '7007',
      VCP_PLUGIN_DIRS: 'one, two words',
      VCP_SERVER_ID: `a "quoted" # name's end`,
      VCP_CORS_ORIGINS: 'https://a.example, http://localhost:3000',
      VCP_TRUSTED_MODULES: 'ab'.repeat(32),
      VCP_PUBLIC_URL: 'https://vcp.example/base',
      VCP_LIMIT_FRAME_BYTES: '1234',
    };
    const before = await vcp(home, ['config', '--json'], environment);
    const printed = await vcp(home, ['config'], environment);
    expect([printed.code, printed.stderr]).toEqual([0, '']);
    writeFileSync(join(home.root, 'config.env'), printed.stdout);
    const after = await vcp(home, ['config', '--json']);
    expect(JSON.parse(after.stdout)).toEqual(JSON.parse(before.stdout));
    expect(JSON.parse(after.stdout)).toMatchObject({
      configuration: {
        VCP_PLUGIN_DIRS: ['one', 'two words'],
        VCP_SERVER_ID: `a "quoted" # name's end`,
        VCP_API_KEY: null,
      },
      limits: { frameBytes: 1_234 },
    });
  });

  it('prints no key that could be taken for the real one', async () => {
    const printed = await vcp(home, ['config'], { VCP_API_KEY: 'a-key-of-the-operator' });
    expect(printed.stdout).not.toContain('a-key-of-the-operator');
    writeFileSync(join(home.root, 'config.env'), printed.stdout);
    const after = await vcp(home, ['config', '--json']);
    expect([after.code, JSON.parse(after.stdout)]).toMatchObject([0, { configuration: { VCP_API_KEY: null } }]);
  });

  it('has no objection to the address that the command line uses', async () => {
    const { code, stderr } = await vcp(home, ['config'], { VCP_URL: 'http://127.0.0.1:6005' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('a server', () => {
  it('says in a sentence that an address is not of this machine', async () => {
    const environment = { VCP_HOST: '192.0.2.1', VCP_PORT: '0', VCP_PLUGIN_DIRS: home.plugins };
    const { code, stderr, stdout } = await vcp(home, ['serve'], environment);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'vcp: the server could not start: this machine has no address 192.0.2.1; set VCP_HOST\n',
    });
  });

  it('lists a manifest over the limit and a directory that is not there as refused', async () => {
    const write = (name: string, description: string) => {
      mkdirSync(join(home.plugins, name));
      const text = JSON.stringify({ ...manifestOf({ name }), description });
      writeFileSync(join(home.plugins, name, 'plugin-manifest.json'), text);
      return text.length;
    };
    const size = write('Small', 'd');
    write('Large', 'd'.repeat(200));
    const missing = join(home.root, 'not-there');
    const server = await startServerProcess(home, {
      VCP_PLUGIN_DIRS: `${home.plugins},${missing}`,
      VCP_LIMIT_MANIFEST_BYTES: String(size),
    });
    const { code, stdout } = await vcp(home, ['tools', '--refused', '--url', server.url]);
    server.kill('SIGTERM');
    await server.exit;
    expect(code).toBe(0);
    expect(stdout).toContain('Small 1.0.0');
    const large = join(home.plugins, 'Large', 'plugin-manifest.json');
    expect(stdout).toContain(`refused: (no name) in ${large}\n  the manifest is larger than ${size} bytes`);
    expect(stdout).toContain(`refused: (no name) in ${missing}\n  the plugin directory cannot be read: ENOENT`);
    expect(readFileSync(large, 'utf8').length).toBeGreaterThan(size);
  });
});
