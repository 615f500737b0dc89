import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';

type Report = { ready: boolean; checks: { name: string; ok: boolean; reason: string | null }[] };

const home = temporaryHome();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess(home, { VCP_LIMIT_READINESS_CACHE_MS: '1' });
}, 30_000);

afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

const askReady = async (): Promise<{ status: number; report: Report }> => {
  const response = await server.request('/readyz');
  return { status: response.status, report: (await response.json()) as Report };
};

const failed = ({ checks }: Report) => checks.filter(({ ok }) => !ok);

describe('GET /readyz on a running server', () => {
  it('looks at the database, the data directory and the disk', async () => {
    const { status, report } = await askReady();
    expect([status, report.ready]).toEqual([200, true]);
    expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['plugins', true],
      ['database', true],
      ['data-directory', true],
      ['disk-space', true],
    ]);
  });

  it('tells strangers nothing but whether', async () => {
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ ready: true });
  });

  it('notices that the data directory is gone, and that it is back', async () => {
    renameSync(home.data, `${home.data}-away`);
    try {
      const { status, report } = await askReady();
      expect([status, report.ready]).toEqual([503, false]);
      expect(failed(report).find(({ name }) => name === 'data-directory')?.reason).toContain('ENOENT');
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    } finally {
      renameSync(`${home.data}-away`, home.data);
    }
    expect((await askReady()).status).toBe(200);
  });

  it('notices that the database cannot be read', async () => {
    const other = new DatabaseSync(join(home.data, 'vcp.sqlite'), { timeout: 5_000 });
    try {
      other.exec('ALTER TABLE results RENAME TO away');
      const { status, report } = await askReady();
      expect([status, failed(report)]).toEqual([
        503,
        [expect.objectContaining({ name: 'database', reason: 'no such table: results' })],
      ]);
      other.exec('ALTER TABLE away RENAME TO results');
    } finally {
      other.close();
    }
    expect((await askReady()).status).toBe(200);
  });

  it('is not so where the disk is nearly full', async () => {
    const full = temporaryHome();
    const tight = await startServerProcess(full, { VCP_LIMIT_FREE_DISK_BYTES: '9007199254740991' });
    try {
      const response = await tight.request('/readyz');
      const report = (await response.json()) as Report;
      expect([response.status, failed(report).map(({ name }) => name)]).toEqual([503, ['disk-space']]);
      expect(failed(report)[0]?.reason).toContain('VCP_LIMIT_FREE_DISK_BYTES');
    } finally {
      tight.kill('SIGTERM');
      await tight.exit;
      full.remove();
    }
  });
});
