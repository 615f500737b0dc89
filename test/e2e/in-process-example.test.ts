// The modules that docs/plugin-guide.md shows, as an operator serves them.
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot, sha256OfFile } from '../support/manifest.ts';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
const examples = join(repositoryRoot, 'examples/in-process');
const services = join(repositoryRoot, 'examples/services');
const changed = join(home.plugins, 'Changed');

/** Long enough for a server to start on a busy machine. */
const START_MS = 60_000;

let server: ServerProcess;
beforeAll(async () => {
  // The same plugin under another name, with one line more than what the operator looked at.
  cpSync(join(examples, 'Clock'), changed, { recursive: true });
  writeFileSync(join(changed, 'clock.mjs'), '\n', { flag: 'a' });
  const manifest = JSON.parse(readFileSync(join(changed, 'plugin-manifest.json'), 'utf8')) as object;
  writeFileSync(join(changed, 'plugin-manifest.json'), JSON.stringify({ ...manifest, name: 'Changed' }));
  server = await startServerProcess(home, {
    VCP_PLUGIN_DIRS: [examples, services, home.plugins].join(','),
    VCP_TRUSTED_MODULES: [
      sha256OfFile(join(examples, 'Clock/clock.mjs')),
      sha256OfFile(join(services, 'EventLog/event-log.mjs')),
    ].join(','),
  });
}, START_MS);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
}, START_MS);

describe('the example of an in-process module', () => {
  it('answers like any other tool', async () => {
    const result = await server.call('Clock', { timeZone: 'Asia/Shanghai' });
    expect(result.status).toBe('success');
    const { time, text } = result.data as { time: string; text: string };
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
    expect(text).toMatch(/Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday/);
  });

  it('reports an error with its target', async () => {
    const { error } = await server.call('Clock', { timeZone: 'Moon/Tycho' });
    expect(error).toMatchObject({ code: 'CLOCK.NO_SUCH_ZONE', category: 'domain', target: 'timeZone' });
  });

  it('is refused, with the digest to trust, when it is not the one that was trusted', async () => {
    const listing = await (await server.request('/v1/tools?include=refused')).text();
    expect(listing).toContain(`add its SHA-256 ${sha256OfFile(join(changed, 'clock.mjs'))} to VCP_TRUSTED_MODULES`);
  });
});

describe('the example of a service', () => {
  it('keeps the newest events in a file, and tells everybody of tools that fail', async () => {
    const headers = { authorization: `Bearer ${server.key}` };
    const stream = await fetch(`${server.url}/v1/events?types=plugin_message`, { headers });
    const { id } = await server.call('Clock', { timeZone: 'Moon/Tycho' });
    const reader = stream.body!.getReader();
    let text = '';
    while (!text.includes('event: plugin_message')) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(text).toContain('"name":"failed","message":{"tool":"Clock","errorCode":"CLOCK.NO_SUCH_ZONE"}');
    const file = join(home.data, 'plugins/EventLog/events.ndjson');
    await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 20_000 }).toContain(id);
    expect(statSync(file).mode & 0o077).toBe(0);
  });
});
