// What a plugin finds of the environment of whoever checks it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildPlugin } from '../../../adapters/node/plugin-build/build-plugin.ts';
import { newPlugin } from '../../../adapters/node/plugin-build/new-plugin.ts';
import { checkPlugin } from '../../../adapters/node/plugin-check/check-plugin.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vcp-environment-'));
  vi.stubEnv('OPERATOR_SECRET', 'of the author');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const CONFIGURED = {
  configSchema: { type: 'object', properties: { OPERATOR_SECRET: { type: 'string' }, GIVEN: { type: 'string' } } },
  permissions: { config: ['OPERATOR_SECRET', 'GIVEN'] },
};

/** Lets the plugin answer with its configuration, and a case that says what it is to be. */
const declareIn = async (directory: string, more: object): Promise<void> => {
  const file = join(directory, 'plugin-manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const [command] = manifest.capabilities.invocationCommands;
  command.outputSchema = true;
  await writeFile(file, JSON.stringify({ ...manifest, ...more }));
  const [{ arguments: args }] = JSON.parse(await readFile(join(directory, 'contract-cases.json'), 'utf8')).cases;
  const expected = { status: 'success', data: { OPERATOR_SECRET: null, GIVEN: 'by the cases' } };
  const cases = [{ name: 'tells its configuration', kind: 'success', arguments: args, expect: expected }];
  const configuration = { GIVEN: 'by the cases' };
  await writeFile(join(directory, 'contract-cases.json'), JSON.stringify({ configuration, cases }));
};

it('a sandboxed plugin gets nothing of it, and what its cases give', async () => {
  const { directory } = await newPlugin('Own', 'typescript', folder);
  await declareIn(directory, CONFIGURED);
  await writeFile(
    join(directory, 'src', 'index.ts'),
    `import { config } from 'vcp-plugin';
     const tell = () => ({ data: { OPERATOR_SECRET: config.get('OPERATOR_SECRET'), GIVEN: config.get('GIVEN') } });
     export default tell;`,
  );
  await buildPlugin(directory);
  expect(await checkPlugin(directory)).toMatchObject({
    refusal: null,
    cases: [{ name: 'tells its configuration', faults: [] }],
  });
}, 60_000);

it('a process gets nothing of it either, beside PATH and the like', async () => {
  const { directory } = await newPlugin('Own', 'node', folder);
  await declareIn(directory, { configSchema: CONFIGURED.configSchema });
  await writeFile(
    join(directory, 'main.mjs'),
    `const data = { OPERATOR_SECRET: process.env.OPERATOR_SECRET ?? null, GIVEN: process.env.GIVEN ?? null };
     const payload = { status: 'success', data };
     process.stdin.resume().on('end', () => {
       process.stdout.write(JSON.stringify({ vcp: 'tool-result', version: '1.0', payload }) + '\\n');
     });`,
  );
  expect(process.env['OPERATOR_SECRET']).toBe('of the author');
  expect(await checkPlugin(directory)).toMatchObject({
    refusal: null,
    cases: [{ name: 'tells its configuration', faults: [] }],
  });
}, 60_000);

it('a plugin whose calls need approval is checked as if it had been given', async () => {
  const { directory } = await newPlugin('Own', 'node', folder);
  const file = join(directory, 'plugin-manifest.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), approval: true }));
  const { refusal, cases } = await checkPlugin(directory);
  expect(refusal).toBeNull();
  expect(cases.length).toBeGreaterThan(0);
  expect(cases.flatMap(({ faults }) => faults)).toEqual([]);
}, 60_000);
