import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const resolved = new Map<string, Promise<string>>();

/**
 * The real path of an interpreter. `node` is the one that runs us; `python3` on PATH is often a version manager's
 * shim that costs as much as the interpreter itself, so it is asked once for its executable.
 */
export const resolveInterpreter = async (command: string): Promise<string> => {
  const known = await resolved.get(command);
  // An upgrade may have taken it away.
  if (known !== undefined && (!isAbsolute(known) || existsSync(known))) return known;
  const found = find(command);
  resolved.set(command, found);
  return found;
};

const find = async (command: string): Promise<string> => {
  if (command === 'node' && !('deno' in process.versions)) return process.execPath;
  if (command !== 'python3' && command !== 'python') return command;
  try {
    const { stdout } = await run(command, ['-I', '-S', '-c', 'import sys; print(sys.executable)'], { timeout: 10_000 });
    return stdout.trim() || command;
  } catch {
    // Not installed, or broken: the call itself will say so.
    resolved.delete(command);
    return command;
  }
};
