// `npm run start:deno` and the like: a task of deno.json by the Deno that came with the development tools, so that the
// machine needs none. What follows the task's name is handed on.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { commandFile, root } from './lib/repository.ts';

const child = spawn(process.execPath, [commandFile('deno', 'deno'), 'task', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, DENO_DIR: join(root, 'node_modules/.cache/deno'), DENO_NO_UPDATE_CHECK: '1' },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
