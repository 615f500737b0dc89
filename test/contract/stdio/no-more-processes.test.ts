// EAGAIN: the system has no room for another process. Played out in a process of a user who may have none.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../../support/manifest.ts';

const other = '65534';
const prlimitAsOther = (...args: string[]) =>
  execFileSync('setpriv', [`--reuid=${other}`, '--clear-groups', 'prlimit', ...args], { cwd: '/', stdio: 'pipe' });

/** Whether this machine lets us run a process as another user and limit it. */
const obstacle = (): string | null => {
  if (process.getuid?.() !== 0)
    return 'only root can start a process as another user (and root itself is never refused a process)';
  try {
    prlimitAsOther('--version');
    return null;
  } catch (error) {
    return `setpriv and prlimit are needed: ${String(error).slice(0, 200)}`;
  }
};

it('is a typed error that may be tried again, and the host lives on', async ({ skip }) => {
  const reason = obstacle();
  if (reason !== null) skip(reason);
  const script = join(repositoryRoot, 'test', 'fixtures', 'start-children.mjs');
  const host = spawn(process.execPath, [script, other], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    let output = '';
    host.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await Promise.race([once(host.stdout, 'data'), once(host, 'exit')]);
    expect(output).toBe('ready\n');
    prlimitAsOther('--pid', String(host.pid), '--nproc=1');
    host.stdin.end('go\n');
    const [code] = (await once(host, 'close')) as [number];
    expect(JSON.parse(output.split('\n')[1]!)).toEqual({
      code: 'TRANSPORT_FAILURE',
      details: { errno: 'EAGAIN' },
      retryable: true,
      message: 'the plugin could not be started: the system has no room for another process; try again later',
    });
    expect(code).toBe(0);
  } finally {
    host.kill('SIGKILL');
  }
});
