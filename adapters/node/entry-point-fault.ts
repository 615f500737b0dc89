import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import type { PluginLocation } from '../../src/ports/transport.ts';

/** Programs whose first argument that is no option is the file that they run. */
const INTERPRETERS = new Set(['node', 'python3', 'python', 'deno', 'bun', 'ruby', 'perl', 'php', 'sh', 'bash']);

/** Why a plugin's command or WebAssembly module cannot be started, or null: better known at start than found out by the first call. */
export const entryPointFault = ({ manifest, directory }: PluginLocation): string | null => {
  const { entryPoint } = manifest;
  if (directory === null) return null;
  if (entryPoint.type === 'wasm' && !existsSync(resolve(directory, entryPoint.file)))
    return `its module "${entryPoint.file}" is not in the plugin's folder; vcp plugin build makes it of the plugin's source`;
  if (entryPoint.type !== 'command') return null;
  const { command, args } = entryPoint;
  if (!isStartable(command, directory)) {
    const hint = /\s/.test(command) ? '; arguments belong into entryPoint.args' : '';
    return `its command "${command}" was not found${hint}`;
  }
  const file = INTERPRETERS.has(command) ? args.find((arg) => !arg.startsWith('-')) : undefined;
  const isFile = file !== undefined && extname(file) !== '' && !isAbsolute(file);
  return isFile && !existsSync(resolve(directory, file)) ? `its program "${file}" is not in the plugin's folder` : null;
};

const isStartable = (command: string, directory: string): boolean => {
  // `node` is the one that runs the server.
  if (command === 'node') return true;
  if (command.includes('/') || command.includes('\\')) return existsSync(resolve(directory, command));
  const endings = process.platform === 'win32' ? (process.env['PATHEXT'] ?? '.EXE').split(';') : [''];
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => endings.some((ending) => isExecutable(join(folder, command + ending))));
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
