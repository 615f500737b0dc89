import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { commandFile, root } from '../../scripts/lib/repository.ts';

export type DenoServer = {
  readonly url: string;
  stderr(): string;
  close(): Promise<void>;
};

/**
 * Starts the server on Deno by a task of deno.json, with exactly its permissions, but for the data directory. A server
 * that is not there after its patience fails with what it has said.
 */
export const startDenoServer = async (
  task: 'start' | 'start:sandboxed',
  home: { readonly root: string; readonly data: string },
  variables: Readonly<Record<string, string>>,
): Promise<DenoServer> => {
  const { tasks } = JSON.parse(readFileSync(join(root, 'deno.json'), 'utf8')) as { tasks: Record<string, string> };
  const [, ...words] = (tasks[task] ?? '').split(' ');
  const args = words.map((word) =>
    word
      .replace('=./data', `=${home.data}`)
      .replace('--allow-read=.', `--allow-read=${root},${home.data},${home.root}`)
      .replace(/^adapters/, join(root, 'adapters')),
  );
  const child = spawn(process.execPath, [commandFile('deno', 'deno'), ...args], {
    cwd: home.root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home.root,
      DENO_DIR: process.env['DENO_DIR'] ?? join(root, 'node_modules/.cache/deno'),
      DENO_NO_UPDATE_CHECK: '1',
      NO_COLOR: '1',
      VCP_PORT: '0',
      VCP_DATA_DIR: home.data,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const address = /listens on (http:\/\/\S+)/.exec(stdout)?.[1];
      if (address !== undefined && stdout.endsWith('\n')) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`the server on Deno ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    stderr: () => stderr,
    close: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
};
