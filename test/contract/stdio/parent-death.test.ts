// A host that is killed without a word leaves nothing running, whatever its children do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { repositoryRoot } from '../../support/manifest.ts';
import { endProcesses, processesLeft, processesWith, until } from '../../support/processes.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-orphans-')));
afterEach(() => {
  endProcesses(directory);
  rmSync(directory, { recursive: true, force: true });
});

const children = () => processesWith(directory).filter(({ command }) => !command.includes('hold-children'));
const running = (word: string) => children().some(({ command }) => command.includes(word));

it('ends silent, nameless, daemonised, waiting and long-lived children of a host that was killed', async () => {
  const host = spawn(process.execPath, [join(repositoryRoot, 'test/fixtures/hold-children.mjs'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(host.stdout, 'data');
  const kinds = ['trap', 'sleep 600', 'grandchild.py', 'echo.mjs', 'worker.mjs'];
  await until('every kind of child runs', () => kinds.every(running), 20_000);
  host.kill('SIGKILL');
  await once(host, 'exit');
  expect(await processesLeft(directory, 10_000)).toEqual([]);
});
