import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peersDirectory } from './contenders.ts';

/** Installs the packages that we compare against, unless the versions asked for are there already. */
export function installPeers(): void {
  const wanted = Object.entries(readPackage('.').dependencies ?? {});
  const present = wanted.every(([name, version]) => {
    const directory = `node_modules/${name}`;
    return existsSync(join(peersDirectory, directory)) && readPackage(directory).version === version;
  });
  if (present) return;
  // Its output goes to stderr: stdout is the result.
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: peersDirectory, stdio: ['ignore', 2, 2] });
}

function readPackage(directory: string): { version?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(peersDirectory, directory, 'package.json'), 'utf8'));
}
