import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPluginConfiguration } from '../../adapters/node/plugin-configuration.ts';
import { PluginManifest } from '../../src/protocol/manifest.ts';
import { manifestOf } from '../support/manifest.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-configuration-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const read = (configSchema: unknown, environment: Record<string, string> = {}, file: string | null = null) => {
  if (file !== null) writeFileSync(join(directory, 'config.env'), file);
  const manifest = PluginManifest.parse(manifestOf({ name: 'Configured', more: { configSchema } }));
  return readPluginConfiguration({ manifest, directory }, environment);
};
const text = (more: Record<string, unknown> = {}) => ({ type: 'string', ...more });

describe('the configuration of a plugin', () => {
  const schema = { type: 'object', properties: { CITY: text({ default: 'from the default' }) } };

  it('is read from its own file before the environment, and there before the default', () => {
    const values = (environment: Record<string, string>, file: string | null) => read(schema, environment, file);
    expect(values({}, null)).toEqual({ ok: true, values: { CITY: 'from the default' } });
    expect(values({ CITY: 'from the environment' }, null)).toEqual({
      ok: true,
      values: { CITY: 'from the environment' },
    });
    expect(values({ CITY: 'from the environment' }, 'CITY=from the file\n')).toEqual({
      ok: true,
      values: { CITY: 'from the file' },
    });
  });

  it('says when its file cannot be read', () => {
    mkdirSync(join(directory, 'config.env'));
    expect(read(schema)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^its config\.env cannot be read: EISDIR/),
    });
  });

  it('holds what the schema names, and nothing else of file or environment', () => {
    expect(read(schema, { HOME: '/h', CITY: 'x', OTHER: 'y' }, 'ANOTHER=z\n')).toEqual({
      ok: true,
      values: { CITY: 'x' },
    });
    expect(read(undefined, { HOME: '/h' }, 'ANOTHER=z\n')).toEqual({ ok: true, values: {} });
  });

  it('is text for the plugin, whatever its type, and is held against its type', () => {
    const typed = {
      type: 'object',
      properties: { COUNT: { type: 'integer', minimum: 1 }, FAST: { type: 'boolean', default: true } },
    };
    expect(read(typed, { COUNT: '3' })).toEqual({ ok: true, values: { COUNT: '3', FAST: 'true' } });
    expect(read(typed, { COUNT: 'three' })).toEqual({
      ok: false,
      reason:
        "its configuration is not valid: /COUNT: must be of type integer, not string; set it in config.env in the plugin's folder, or in the server's environment",
    });
    expect(read(typed, { COUNT: '0' })).toMatchObject({ ok: false });
    expect(read(typed, { FAST: 'yes' })).toMatchObject({ ok: false });
  });

  it('is missing with its name, and is not quoted when it is wrong', () => {
    expect(read({ type: 'object', properties: { KEY: text() }, required: ['KEY'] })).toEqual({
      ok: false,
      reason:
        "its configuration is not valid: /KEY: is required; set it in config.env in the plugin's folder, or in the server's environment",
    });
    const strict = { type: 'object', properties: { KEY: text({ pattern: '^k-[0-9]+$' }) } };
    expect(JSON.stringify(read(strict, { KEY: 'Zq7Wm2Xk9Lp4' }))).not.toContain('Zq7Wm2Xk9Lp4');
  });

  it.each(['VCP_API_KEY', 'VCP_SIGNING_KEY', 'VCP_ANYTHING', 'vcp_api_key', 'Vcp_Api_Key'])(
    'never holds a variable of the server: %s',
    (name) => {
      expect(read({ type: 'object', properties: { [name]: text() } }, { [name]: 'the key of the server' })).toEqual({
        ok: false,
        reason: `its configSchema names ${name}; VCP_ variables are the server's own`,
      });
    },
  );
});

describe('the configuration of a WebAssembly plugin', () => {
  const properties = { AWS_SECRET_ACCESS_KEY: text(), REGION: text({ default: 'from the default' }) };
  const readSandboxed = (more: Record<string, unknown> = {}) => {
    const manifest = PluginManifest.parse(
      manifestOf({
        name: 'Stranger',
        more: {
          entryPoint: { type: 'wasm', file: 'plugin.wasm' },
          communication: { protocol: 'direct' },
          permissions: { config: ['AWS_SECRET_ACCESS_KEY', 'REGION'] },
          configSchema: { type: 'object', properties, ...more },
        },
      }),
    );
    const environment = { AWS_SECRET_ACCESS_KEY: 'of the operator', REGION: 'of the operator' };
    return readPluginConfiguration({ manifest, directory }, environment);
  };

  it('holds nothing of the environment, whatever its manifest names', () => {
    expect(readSandboxed()).toEqual({ ok: true, values: { REGION: 'from the default' } });
    expect(readSandboxed({ required: ['AWS_SECRET_ACCESS_KEY'] })).toEqual({
      ok: false,
      reason:
        "its configuration is not valid: /AWS_SECRET_ACCESS_KEY: is required; set it in config.env in the plugin's folder",
    });
  });

  it('is what the config.env in its folder says', () => {
    writeFileSync(join(directory, 'config.env'), 'REGION=from the file\n');
    expect(readSandboxed()).toEqual({ ok: true, values: { REGION: 'from the file' } });
  });

  it('is not read through a link to a file elsewhere, though to one in its folder', () => {
    mkdirSync(join(directory, 'secrets'));
    writeFileSync(join(directory, 'secrets', 'config.env'), 'REGION=from inside\n');
    symlinkSync(join('secrets', 'config.env'), join(directory, 'config.env'));
    expect(readSandboxed()).toEqual({ ok: true, values: { REGION: 'from inside' } });

    const outside = mkdtempSync(join(tmpdir(), 'vcp-test-outside-'));
    try {
      writeFileSync(join(outside, 'credentials'), 'AWS_SECRET_ACCESS_KEY = of the operator\n');
      rmSync(join(directory, 'config.env'));
      symlinkSync(join(outside, 'credentials'), join(directory, 'config.env'));
      expect(readSandboxed()).toEqual({
        ok: false,
        reason:
          "its config.env cannot be read: it is a link to a file outside of the plugin's folder; put a file in its place",
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});
