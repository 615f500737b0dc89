// The module that docs/plugin-guide.md shows, as an operator serves it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot, sha256OfFile } from '../support/manifest.ts';
import { startServerProcess, temporaryHome, vcp, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
const folder = join(repositoryRoot, 'examples/in-process');
const digest = sha256OfFile(join(folder, 'Clock/clock.mjs'));

let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess(home, { VCP_PLUGIN_DIRS: folder, VCP_TRUSTED_MODULES: digest });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

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

  it('is refused, with the digest to trust, when nobody trusted it', async () => {
    const other = temporaryHome();
    try {
      const untrusting = await startServerProcess(other, { VCP_PLUGIN_DIRS: folder });
      try {
        const { stdout } = await vcp(other, ['tools', '--refused', '--url', untrusting.url, '--key', untrusting.key]);
        expect(stdout).toContain(`add its SHA-256 ${digest} to VCP_TRUSTED_MODULES`);
      } finally {
        untrusting.kill('SIGTERM');
        await untrusting.exit;
      }
    } finally {
      other.remove();
    }
  });
});
