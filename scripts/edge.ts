// `npm run edge`: builds the deploy folder of the bundled plugins and serves it here, in Cloudflare's own runtime, without
// an account and without the network. With `-- --check` it makes calls, checks every answer, and ends everything.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { EVERY_MINUTE } from '../adapters/cloudflare/upkeep.ts';
import { buildEdge } from '../adapters/node/edge-build/build-edge.ts';
import { edgeSettings } from '../adapters/node/edge-build/edge-settings.ts';
import { isPromptVariable } from '../src/lib/variable-names.ts';
import packageJson from '../package.json' with { type: 'json' };
import { buildJobRelay } from './lib/build-job-relay.ts';
import { checkEdge } from './lib/check-edge.ts';
import { startJobService } from './lib/job-service.ts';
import { root } from './lib/repository.ts';
import { startWranglerDev } from './lib/wrangler-dev.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, port: { type: 'string' } },
});
const settings = edgeSettings(process.env);
if (!settings.ok) throw new Error(settings.reason);

// What is tried is thrown away; what is served keeps its results for the next time.
const directory = join(root, 'node_modules/.cache', values.check ? `edge-check-${process.pid}` : 'edge');
mkdirSync(directory, { recursive: true });
// Beside the bundled plugins, one whose work is done by a service: this program is the service.
const ownPlugins = `${directory}-plugins`;
const jobs = values.check ? await startJobService() : null;
if (jobs !== null) await buildJobRelay(ownPlugins, jobs.port);
rmSync(join(directory, 'wrangler.toml'), { force: true });
const built = await buildEdge({
  ...settings,
  pluginDirectories: [...settings.pluginDirectories, ...(jobs === null ? [] : [ownPlugins])],
  outDirectory: directory,
  root,
  version: packageJson.version,
});
const key = randomBytes(24).toString('base64url');
// What is checked is the worker as it is built; what is served has the settings that are given here.
const given = Object.entries(process.env).filter(([name]) => name.startsWith('VCP_') || isPromptVariable(name));
const variables = {
  ...(jobs === null ? Object.fromEntries(given) : { VCP_OPEN_NETWORKS: '127.0.0.1/32' }),
  VCP_API_KEY: key,
  VCP_SIGNING_KEY: randomBytes(32).toString('base64url'),
};
writeFileSync(
  join(directory, '.dev.vars'),
  Object.entries(variables)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join(''),
  { mode: 0o600 },
);
console.log(`built: ${built.served.join(', ')} (${built.refused.length} left out; vcp edge build says why)`);

// Before anything is started, which ends with this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0));
process.on('exit', () => {
  if (values.check) for (const folder of [directory, ownPlugins]) rmSync(folder, { recursive: true, force: true });
});

const server = await startWranglerDev(directory, Number(values.port ?? (values.check ? 0 : 8787)), (text) => {
  if (!values.check) process.stderr.write(text);
});
if (jobs !== null) {
  try {
    await checkEdge({ ...server, key, jobs }, (line) => console.log(line));
    console.log('All answers were right.');
  } finally {
    await server.close();
    await jobs.close();
  }
} else {
  console.log(`\nserved on ${server.url}, until Ctrl-C; try:\n`);
  console.log(
    `curl -sS ${server.url}/v1/human/tool -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"tool":"DateTime","arguments":{"command":"Now","timeZone":"UTC"}}'\n`,
  );
  // The platform does so by the crons of wrangler.toml.
  const waking = setInterval(
    () => void server.wake(EVERY_MINUTE).catch((error: unknown) => console.error(error)),
    60_000,
  );
  process.exitCode = (await server.ended) ?? 0;
  clearInterval(waking);
}
