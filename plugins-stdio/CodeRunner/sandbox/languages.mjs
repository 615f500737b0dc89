import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { homeOf } from './isolation.mjs';

const PROBE_MS = 20_000;

/** How snippets of a language are run: its program, where its own files are, and how memory is limited. */
export const LANGUAGES = {
  RunPython: {
    file: 'main.py',
    find: async () => {
      for (const program of ['python3', 'python']) {
        const found = await ask(program, [
          '-c',
          'import sys; assert sys.version_info >= (3, 8); print(sys.executable); print(sys.base_prefix)',
        ]);
        // Its links may lie where the sandbox shows nothing.
        if (found !== null) return { program: realpathSync(found[0]), shown: [homeOf(found[0]), found[1]] };
      }
      return null;
    },
    // -I: no user site, no variables of the environment, no current directory on the path.
    arguments: ({ code }) => ['-I', '-B', '-X', 'utf8', code],
    memory: (bytes) => [`--as=${bytes}`],
  },
  RunJavaScript: {
    file: 'main.mjs',
    find: async () => ({ program: process.execPath, shown: [homeOf(process.execPath)] }),
    // The permission model: no files but these, no processes, workers or add-ons.
    arguments: ({ code, codeDirectory, work, memoryBytes }) => [
      '--permission',
      `--allow-fs-read=${codeDirectory}`,
      `--allow-fs-read=${work}`,
      `--allow-fs-write=${work}`,
      '--disable-warning=SecurityWarning',
      `--max-old-space-size=${Math.floor(memoryBytes / 1024 / 1024)}`,
      code,
    ],
    // V8 reserves far more addresses than it uses; what counts is what it may write to.
    memory: (bytes) => [`--data=${bytes + 512 * 1024 * 1024}`],
  },
};

const ask = (program, args) =>
  new Promise((done) => {
    execFile(program, args, { timeout: PROBE_MS }, (error, stdout) =>
      done(error === null ? stdout.trim().split('\n') : null),
    );
  });

/** Whether a program is on the path; `prlimit` is missing on systems without util-linux. */
export const isInstalled = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, name)));
