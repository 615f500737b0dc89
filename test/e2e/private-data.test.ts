// What belongs to the server stays with the server: its data directory, its own variables.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detailsOf } from '../support/call-expectations.ts';
import { startServerProcess, temporaryHome, writePlugin, type ServerProcess } from '../support/server-process.ts';

const KEY = 'a-key-that-nobody-knows';
const home = temporaryHome();
let server: ServerProcess;
beforeAll(async () => {
  const configSchema = (name: string) => ({
    configSchema: { type: 'object', properties: { [name]: { type: 'string' } } },
  });
  const command = { command: './run.sh', args: ['env >&2; exit 3'] };
  writePlugin(home.plugins, { name: 'AsksForTheKey', ...command, more: configSchema('VCP_API_KEY') });
  writePlugin(home.plugins, { name: 'AsksForACity', ...command, more: configSchema('CITY') });
  server = await startServerProcess(home, { VCP_API_KEY: KEY, CITY: 'Bonn' });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

describe('the data directory', () => {
  it('can be entered by its owner alone', () => {
    expect(statSync(home.data).mode & 0o777).toBe(0o700);
  });

  it('is as private when it lies below one that is made with it', async () => {
    const nested = { ...home, data: join(home.root, 'made', 'too') };
    const other = await startServerProcess(nested);
    expect(statSync(nested.data).mode & 0o777).toBe(0o700);
    expect(statSync(join(nested.data, 'api-key')).mode & 0o777).toBe(0o600);
    other.kill('SIGTERM');
    await other.exit;
  });
});

describe('a plugin', () => {
  it('that asks for the key of the server is refused with that reason', async () => {
    const { tools, refused } = (await (await server.request('/v1/tools?include=refused')).json()) as {
      tools: { name: string }[];
      refused: { name: string; reason: string }[];
    };
    expect(tools.map(({ name }) => name)).toEqual(['AsksForACity', 'ResultReader', 'TaskScheduler']);
    expect(refused).toMatchObject([
      { name: 'AsksForTheKey', reason: "its configSchema names VCP_API_KEY; VCP_ variables are the server's own" },
    ]);
    expect(await server.call('AsksForTheKey')).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
  });

  it('sees the variable that it declared, and not the key', async () => {
    const result = await server.call('AsksForACity');
    // The one key of this server has every role, so it may read what the process said.
    const stderr = String(detailsOf(result)['stderr']);
    expect(stderr).toContain('CITY=Bonn');
    expect(stderr).not.toContain(KEY);
    expect(server.stderr()).not.toContain(KEY);
  });
});
