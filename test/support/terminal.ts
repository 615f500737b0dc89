// A program on a terminal of its own, typed into as a person would.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { repositoryRoot } from './manifest.ts';
import { cleanEnvironment } from './server-process.ts';

const cli = join(repositoryRoot, 'adapters', 'node', 'cli.ts');
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** `script` of util-linux makes the terminals; that of the BSDs takes other options. */
export const hasTerminals = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

export type TerminalRun = {
  /** Everything that was written so far, with its escape sequences. */
  raw(): string;
  /** The same without them. */
  text(): string;
  /** Waits until the text holds this, after whatever an earlier wait has seen; fails when the program ends first. */
  waitFor(words: string): Promise<void>;
  type(keys: string): void;
  readonly exit: Promise<number | null>;
};

export const KEYS = { enter: '\r', down: '\u001B[B', space: ' ', interrupt: '\u0003', backspace: '\u007F' } as const;

/** Runs `vcp` with stdin, stdout and stderr on a terminal. `redirect` may send some of them elsewhere. */
export const vcpOnTerminal = (
  home: { root: string; data: string },
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  redirect = '',
): TerminalRun =>
  onTerminal(home, `exec ${[process.execPath, cli, ...args].map(quote).join(' ')} ${redirect}`, environment);

/** Runs a line of shell on a new terminal of 80 columns. */
export const onTerminal = (
  home: { root: string; data: string },
  line: string,
  environment: Readonly<Record<string, string>> = {},
): TerminalRun => {
  const child = spawn('script', ['-qefc', `stty cols 80 rows 30; ${line}`, '/dev/null'], {
    cwd: home.root,
    env: cleanEnvironment(home, { TERM: 'xterm-256color', SHELL: '/bin/sh', ...environment }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let raw = '';
  let seen = 0;
  let hasEnded = false;
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    for (const watcher of watchers) watcher();
  });
  const exit = once(child, 'close').then(([code]) => {
    hasEnded = true;
    for (const watcher of watchers) watcher();
    return code as number | null;
  });
  const text = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');
  return {
    raw: () => raw,
    text,
    exit,
    type: (keys) => void child.stdin.write(keys),
    waitFor: (words) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const at = text().indexOf(words, seen);
          if (at === -1 && !hasEnded) return;
          watchers.delete(look);
          if (at === -1) return reject(new Error(`the program ended without "${words}": ${text().slice(seen)}`));
          seen = at + words.length;
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
};
