import { join } from 'node:path';
import type { PluginProgram } from '../../support/plugin-process.ts';

const folder = join(import.meta.dirname, '../../fixtures/plugin-kit');

/** The two kits behind programs with the same commands: what holds for one has to hold for the other. */
export const KITS: readonly (PluginProgram & { readonly kit: string })[] = [
  { kit: 'node', command: process.execPath, args: [join(folder, 'plugin.mjs')] },
  // Without the site's packages and the user's environment, as the fastest start of Python is.
  { kit: 'python', command: 'python3', args: ['-I', '-S', join(folder, 'plugin.py')] },
];

/** What the command `Odd` of each program may throw or return: what one language has, the other has not. */
export const ODD: Readonly<Record<string, readonly string[]>> = {
  node: ['bare', 'message', 'name', 'text', 'proxy', 'changing'],
  python: ['cancelled', 'generator', 'interrupt', 'exit', 'text', 'base'],
};
