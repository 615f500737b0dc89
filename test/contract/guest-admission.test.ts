import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createModuleLoader } from '../../adapters/node/module-loader.ts';
import { createNodePluginSource } from '../../adapters/node/plugins/node-plugin-source.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { wasmManifest } from '../support/wasm-runtime.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

type Options = {
  readonly fields?: Record<string, unknown>;
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  prepareGuest?(): Promise<string | null>;
};

/** One look at one WebAssembly plugin. */
const look = async ({ fields = {}, files = { 'plugin.wasm': '' }, environment = {}, prepareGuest }: Options) => {
  const root = mkdtempSync(join(tmpdir(), 'vcp-test-guest-'));
  roots.push(root);
  const folder = join(root, 'Sample');
  mkdirSync(folder);
  writeFileSync(join(folder, 'plugin-manifest.json'), JSON.stringify(wasmManifest(fields)));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const trust = { digests: new Set<string>(), bundledDirectories: [], maxFiles: 100 };
  const source = createNodePluginSource({
    pluginDirectories: () => [root],
    environment,
    limits: DEFAULT_LIMITS,
    trust,
    loader: createModuleLoader(trust),
    logger: silentLogger,
    ...(prepareGuest === undefined ? {} : { prepareGuest }),
  });
  const [candidate] = await source.read();
  if (candidate === undefined) throw new Error('there is no plugin');
  return candidate.ok ? source.configurationOf(candidate.definition) : candidate.refused.reason;
};
const willing = async () => null;
const configSchema = {
  type: 'object',
  properties: { CITY: { type: 'string' }, UNITS: { type: 'string', default: 'metric' }, TOKEN: { type: 'string' } },
  required: ['CITY'],
};

describe('a WebAssembly plugin that was found', () => {
  it('is refused where there is no sandbox', async () => {
    expect(await look({})).toBe('this server has no sandbox for WebAssembly plugins');
  });

  it('is refused for the reason that its module has', async () => {
    expect(await look({ prepareGuest: async () => 'its module imports "wasi"' })).toBe('its module imports "wasi"');
  });

  it('is refused when its module is not there, without a look into it', async () => {
    const prepareGuest = async () => 'looked at';
    expect(await look({ files: {}, prepareGuest })).toBe(
      `its module "plugin.wasm" is not in the plugin's folder; vcp plugin build makes it of the plugin's source`,
    );
  });

  it('has its declared configuration: its own file, then defaults, and nothing of the environment', async () => {
    const options = {
      fields: { configSchema },
      prepareGuest: willing,
      files: { 'plugin.wasm': '', 'config.env': 'CITY=Wien' },
      environment: { CITY: 'Graz', TOKEN: 't', PATH: '/' },
    };
    expect(await look(options)).toEqual({ CITY: 'Wien', UNITS: 'metric' });
  });

  it('is refused when its configuration does not fit', async () => {
    expect(await look({ fields: { configSchema }, prepareGuest: willing })).toContain('/CITY: is required');
  });
});
