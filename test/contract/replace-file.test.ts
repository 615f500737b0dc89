// Files that are replaced whole, by several processes at once.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from '../../adapters/fs/replace-file.ts';
import { repositoryRoot } from '../support/manifest.ts';

const run = promisify(execFile);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-replace-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('replacing a file', () => {
  it('leaves alone what another is writing at the same time, and clears away what a killed writer left', () => {
    const path = join(directory, 'a.json');
    const [fresh, old] = [`${path}.0123456789ab.tmp`, `${path}.ba9876543210.tmp`];
    for (const file of [fresh, old, join(directory, 'a.json.mine.tmp')]) writeFileSync(file, 'half');
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(old, anHourAgo, anHourAgo);
    replaceFile(path, 'whole');
    expect(readFileSync(path, 'utf8')).toBe('whole');
    expect(readdirSync(directory).toSorted()).toEqual(['a.json', 'a.json.0123456789ab.tmp', 'a.json.mine.tmp']);
  });

  it('fails in none of several processes that do it at once, and leaves one whole file', async () => {
    const path = join(directory, 'a.json');
    const script = join(repositoryRoot, 'test/fixtures/replace-often.mjs');
    await Promise.all(['one', 'two', 'three'].map((text) => run(process.execPath, [script, path, text])));
    expect(readdirSync(directory)).toEqual(['a.json']);
    expect(readFileSync(path, 'utf8')).toMatch(/^(one|two|three)$/);
  }, 60_000);

  it('leaves nothing behind when it fails', () => {
    const path = join(directory, 'nowhere', 'a.json');
    expect(() => replaceFile(path, 'whole')).toThrow('ENOENT');
    expect(readdirSync(directory)).toEqual([]);
  });
});
