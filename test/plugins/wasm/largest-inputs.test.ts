// The largest calls that the manifests let through, within the limits that the same manifests set, in the real sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createWasmModuleSource } from '../../../adapters/node/wasm/module-source.ts';
import { createWorkerSandbox } from '../../../adapters/node/wasm/worker-sandbox.ts';
import { serverRoot } from '../../../adapters/node/server-root.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { PluginManifest } from '../../../src/protocol/manifest.ts';
import { sandboxLimitsOf } from '../../../src/transport/wasm/wasm-limits.ts';
import { guestInput } from '../../support/run-guest.ts';
import { silentLogger } from '../../support/silent-logger.ts';

const sandbox = createWorkerSandbox({ limits: DEFAULT_LIMITS, logger: silentLogger });
const modules = createWasmModuleSource(DEFAULT_LIMITS);
afterAll(() => sandbox.close());

const MOST = 200_000;
/** Different every time and the same in every run. */
const numbered = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text((index * 7_919) % 99_991)).join('');
const words = numbered(MOST / 10, (index) => `wörd${index} `).slice(0, MOST);

it.each<[string, string, object]>([
  ['TextTool', 'Diff', { before: numbered(MOST / 4, (index) => `${index % 997}\n`).slice(0, MOST), after: words }],
  ['TextTool', 'Diff', { before: 'a\n'.repeat(MOST / 2), after: 'b\n'.repeat(MOST / 2), ignoreCase: true }],
  ['TextTool', 'Count', { text: words, top: 100 }],
  ['TextTool', 'Hash', { text: 'é'.repeat(MOST) }],
  ['TextTool', 'Lines', { text: numbered(MOST / 4, (index) => `${index % 997}\n`).slice(0, MOST), sort: 'natural' }],
  ['TextTool', 'Case', { text: words, to: 'snake' }],
  ['TextTool', 'Case', { text: words, to: 'title' }],
  ['TextTool', 'Encode', { text: '中'.repeat(MOST), format: 'percent' }],
  ['TextTool', 'Decode', { text: '&amp;'.repeat(MOST / 5), format: 'html' }],
  ['TextTool', 'Encode', { text: '"'.repeat(MOST), format: 'html' }],
  ['QrCode', 'Image', { text: 'é'.repeat(1_100), minVersion: 40, scale: 22 }],
  ['DateTime', 'Changes', { timeZone: 'America/St_Johns', from: '1900-01-01', count: 500 }],
])('%s %s', async (name, command, args) => {
  const directory = join(serverRoot, 'plugins-wasm', name);
  const manifest = PluginManifest.parse(JSON.parse(readFileSync(join(directory, 'plugin-manifest.json'), 'utf8')));
  const outcome = await sandbox.run({
    module: await modules.load({ manifest, directory }),
    exportName: 'invoke',
    input: new TextEncoder().encode(JSON.stringify(guestInput(command, { command, ...args }))),
    limits: sandboxLimitsOf(manifest, DEFAULT_LIMITS),
    host: { refusalOf: () => null, call: () => Promise.resolve({ ok: { resourceId: 'res_1' } }) },
    signal: new AbortController().signal,
  });
  expect(outcome).toMatchObject({ type: 'output' });
  // Half of each limit is left for texts that are worse than these.
  expect(outcome.usage.fuel).toBeLessThan((manifest.limits?.fuel ?? 0) / 2);
});
