import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../lib/our-server.ts';

/** Replaces what stands between the suite's two markers in docs/performance.md. */
export function writeTable(suite: string, text: string): void {
  const file = join(repositoryRoot, 'docs/performance.md');
  const page = readFileSync(file, 'utf8');
  const startMarker = `<!-- bench:${suite}:start -->`;
  const start = page.indexOf(startMarker);
  const end = page.indexOf(`<!-- bench:${suite}:end -->`);
  if (start < 0 || end < start) throw new Error(`docs/performance.md lacks the markers of ${suite}.`);
  writeFileSync(file, `${page.slice(0, start + startMarker.length)}\n\n${text}\n\n${page.slice(end)}`);
}
