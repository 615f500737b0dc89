// The keys file as editors, scripts and several processes change it under a running server.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeKeysFile, readKeysFile } from '../../adapters/node/change-keys-file.ts';
import { KeysFileFault, openKeysFile, type KeysFile } from '../../adapters/node/keys-file.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { LogFields } from '../../src/ports/logger.ts';
import type { ApiKeysFile } from '../../src/protocol/api-keys.ts';

let directory: string;
let path: string;
const opened: KeysFile[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-keys-'));
  path = join(directory, 'keys.json');
});
afterEach(() => {
  for (const file of opened.splice(0)) file.close();
  rmSync(directory, { recursive: true, force: true });
});

const hashOf = (name: string) => name.charCodeAt(0).toString(16).padStart(64, '0');
const entry = (name: string, more: object = {}) => ({
  id: `key_${name}`,
  name,
  sha256: hashOf(name),
  roles: ['human' as const],
  tools: null,
  rateLimit: null,
  toolRateLimits: {},
  createdAt: '2026-11-30T12:00:00Z',
  ...more,
});
const fileOf = (...names: string[]) => JSON.stringify({ version: 1, keys: names.map((name) => entry(name)) });
const write = (text: string, mode = 0o600) => writeFileSync(path, text, { mode });
/** As careful editors and deployments do it: a new file in the place of the old one. */
const replaceBy = (text: string) => {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
};

const change = (edit: (file: ApiKeysFile) => ApiKeysFile | null, limits = DEFAULT_LIMITS): void =>
  changeKeysFile(path, limits, (before) => ({ file: edit(before), outcome: undefined }));

const open = (isExpected = false, limits = DEFAULT_LIMITS) => {
  const logged: { level: string; event: string; fields: LogFields | undefined }[] = [];
  const log = (level: string) => (event: string, fields?: LogFields) => void logged.push({ level, event, fields });
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const file = openKeysFile({ path, isExpected, limits, clock, logger });
  opened.push(file);
  const known = () => ['a', 'b', 'c'].filter((name) => file.current().find(hashOf(name), Date.now()) !== null).join('');
  const troubles = () => logged.filter(({ level }) => level === 'warn' || level === 'error');
  return { file, known, logged, troubles };
};

describe('a change of the file', () => {
  it.each([
    ['written in place', (text: string) => write(text)],
    ['put in its place', replaceBy],
    ['removed and made again', (text: string) => (rmSync(path), write(text))],
  ])('is in force at once, %s', (_how, put) => {
    write(fileOf('a'));
    const { known } = open();
    expect(known()).toBe('a');
    for (const names of [['a', 'b'], ['b'], [], ['c'], ['a', 'b', 'c']]) {
      put(fileOf(...names));
      expect(known()).toBe(names.join(''));
    }
  });

  it('is seen also when it leaves the size and the times as they were', () => {
    write(fileOf('a'));
    const { known } = open();
    for (let round = 0; round < 200; round += 1) {
      const name = round % 2 === 0 ? 'b' : 'c';
      const { atime, mtime } = statSync(path);
      write(fileOf(name));
      utimesSync(path, atime, mtime);
      expect(known()).toBe(name);
    }
  });

  it('is seen through a link, whose target is exchanged', () => {
    mkdirSync(join(directory, 'one'));
    mkdirSync(join(directory, 'two'));
    writeFileSync(join(directory, 'one', 'keys.json'), fileOf('a'), { mode: 0o600 });
    writeFileSync(join(directory, 'two', 'keys.json'), fileOf('b'), { mode: 0o600 });
    symlinkSync('one', join(directory, 'now'));
    symlinkSync(join('now', 'keys.json'), path);
    const { known } = open();
    expect(known()).toBe('a');
    symlinkSync('two', join(directory, 'then'));
    renameSync(join(directory, 'then'), join(directory, 'now'));
    expect(known()).toBe('b');
  });

  it('may be the making and the removing of the file', () => {
    const { known, troubles } = open();
    expect([known(), troubles()]).toEqual(['', []]);
    write(fileOf('a'));
    expect(known()).toBe('a');
    rmSync(path);
    expect([known(), known()]).toEqual(['', '']);
    expect(troubles()).toEqual([
      {
        level: 'warn',
        event: 'keys.missing',
        fields: { file: path, reason: 'there is no such file: only the default key is known' },
      },
    ]);
    write(fileOf('b'));
    expect(known()).toBe('b');
  });
});

it('is followed while nobody asks, so that a change is not lost when the next one spoils the file', async () => {
  write(fileOf('a', 'b'));
  const { known, logged, troubles } = open();
  replaceBy(fileOf('b'));
  await expect.poll(() => logged.length, { timeout: 20_000 }).toBe(2);
  replaceBy('{');
  await expect.poll(() => troubles().length, { timeout: 20_000 }).toBe(1);
  expect(known()).toBe('b');
});

describe('a file that cannot be used', () => {
  it.each([
    ['half written', fileOf('a', 'b').slice(0, -20), 'is not JSON'],
    ['with a typing error', fileOf('a').replace('"roles"', '"rolls"'), '/keys/0/rolls: unknown field "rolls"'],
    ['empty', '', 'is not JSON'],
    ['of the wrong kind', '[]', 'expected object'],
  ])('leaves the keys as they were, and says why once: %s', (_what, text, reason) => {
    write(fileOf('a'));
    const { known, troubles } = open();
    write(text);
    for (let look = 0; look < 20; look += 1) expect(known()).toBe('a');
    expect(troubles()).toHaveLength(1);
    expect(troubles()[0]).toMatchObject({ level: 'error', event: 'keys.not-loaded', fields: { file: path } });
    expect(troubles()[0]?.fields?.['reason']).toContain(reason);
    write(fileOf('b'));
    expect(known()).toBe('b');
    // The same fault later is a new one.
    write(text);
    expect([known(), troubles().length]).toEqual(['b', 2]);
  });

  it('may be too large, or no file', () => {
    write(fileOf('a'));
    const { known, troubles } = open(false, { ...DEFAULT_LIMITS, keysFileBytes: 1_000 });
    write(`${fileOf('b')}${' '.repeat(1_000)}`);
    expect([known(), known()]).toEqual(['a', 'a']);
    rmSync(path);
    mkdirSync(path);
    expect([known(), known()]).toEqual(['a', 'a']);
    expect(troubles().map(({ fields }) => fields?.['reason'])).toEqual([
      `the keys file ${path} cannot be used: it has more than 1000 bytes`,
      `the keys file ${path} cannot be used: it is not a file`,
    ]);
    rmSync(path, { recursive: true });
    write(fileOf('c'));
    expect(known()).toBe('c');
  });

  it('stops a server that only starts, with the place at fault', () => {
    write(fileOf('a').replace('"human"', '"root"'));
    expect(() => open()).toThrow(KeysFileFault);
    expect(() => open()).toThrow(`the keys file ${path} cannot be used: /keys/0/roles/0`);
    rmSync(path);
    mkdirSync(path);
    expect(() => open()).toThrow(KeysFileFault);
    expect(() => open()).toThrow(`the keys file ${path} cannot be used: it is not a file`);
  });
});

describe('who may read the file', () => {
  it('is warned about when it is anybody else, and not again until that changes', () => {
    write(fileOf('a'));
    chmodSync(path, 0o644);
    const { known, troubles } = open();
    expect([known(), known()]).toEqual(['a', 'a']);
    expect(troubles()).toEqual([
      {
        level: 'warn',
        event: 'keys.open-to-others',
        fields: {
          file: path,
          reason: `other users of this machine may open it (mode 644); run chmod 600 ${path}`,
        },
      },
    ]);
    chmodSync(path, 0o600);
    expect([known(), troubles().length]).toEqual(['a', 1]);
  });

  it('is its owner alone after a change, whatever it was before', () => {
    write(fileOf('a'));
    chmodSync(path, 0o644);
    change((before) => ({ ...before, keys: [...before.keys, entry('b')] }));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  });
});

it('says when a file that the operator named is not there', () => {
  expect(open(true).troubles()).toMatchObject([{ event: 'keys.missing', fields: { file: path } }]);
});

describe('changing the file', () => {
  it('makes it when there is none, and leaves nothing else behind', () => {
    change((before) => ({ ...before, keys: [entry('a')] }));
    expect(readKeysFile(path, DEFAULT_LIMITS)).toEqual({ version: 1, defaultKey: true, keys: [entry('a')] });
    expect(readdirSync(directory)).toEqual(['keys.json', 'keys.json.lock']);
  });

  it('clears away what a writer that was killed has left', () => {
    const left = `${path}.0123456789ab.tmp`;
    writeFileSync(left, '{ "version"', { mode: 0o644 });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(left, anHourAgo, anHourAgo);
    change((before) => ({ ...before, keys: [entry('a')] }));
    expect(readdirSync(directory)).toEqual(['keys.json', 'keys.json.lock']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('puts a new file in the place of the old one, which stays whole for who reads it', () => {
    write(fileOf('a'));
    linkSync(path, join(directory, 'before'));
    change((before) => ({ ...before, keys: [] }));
    expect(readFileSync(join(directory, 'before'), 'utf8')).toBe(fileOf('a'));
    expect(readKeysFile(path, DEFAULT_LIMITS).keys).toEqual([]);
  });

  it('leaves a link a link', () => {
    writeFileSync(join(directory, 'elsewhere.json'), fileOf('a'), { mode: 0o600 });
    symlinkSync('elsewhere.json', path);
    change((before) => ({ ...before, keys: [...before.keys, entry('b')] }));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readKeysFile(join(directory, 'elsewhere.json'), DEFAULT_LIMITS).keys.map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
  });

  it('writes nothing when there is nothing to change, or the change fails', () => {
    write(fileOf('a'));
    const { ino } = statSync(path);
    change(() => null);
    expect(() =>
      change(() => {
        throw new Error('thought better of it');
      }),
    ).toThrow('thought better of it');
    expect(statSync(path).ino).toBe(ino);
    // The lock was given back.
    change((before) => ({ ...before, keys: [] }));
    expect(readKeysFile(path, DEFAULT_LIMITS).keys).toEqual([]);
  });

  it('gives back what came of it', () => {
    const outcome = changeKeysFile(path, DEFAULT_LIMITS, ({ keys }) => ({ file: null, outcome: keys.length }));
    expect(outcome).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it('writes no file that a server would find too large', () => {
    const limits = { ...DEFAULT_LIMITS, keysFileBytes: 500 };
    change((before) => ({ ...before, keys: [entry('a')] }), limits);
    expect(() => change((before) => ({ ...before, keys: [...before.keys, entry('b')] }), limits)).toThrow(
      'would have more than 500 bytes',
    );
    expect(readKeysFile(path, limits).keys).toEqual([entry('a')]);
  });

  it('does not touch a file that it cannot read', () => {
    write('{ "version": 1, "keys": [');
    expect(() => change((before) => before)).toThrow(KeysFileFault);
    expect(readFileSync(path, 'utf8')).toBe('{ "version": 1, "keys": [');
  });

  it('loses nothing when several processes do it at once, and a server reads meanwhile', async () => {
    const { file, troubles } = open();
    const script = join(import.meta.dirname, '..', 'fixtures', 'add-keys.mjs');
    const sizes: number[] = [];
    const reading = setInterval(() => sizes.push(file.current().size), 1);
    try {
      const run = promisify(execFile);
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [script, path, name, '25'])));
    } finally {
      clearInterval(reading);
    }
    const names = readKeysFile(path, DEFAULT_LIMITS).keys.map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      ['a', 'b', 'c', 'd'].flatMap((name) => Array.from({ length: 25 }, (_, index) => `${name}-${index}`)).toSorted(),
    );
    expect(sizes).toEqual(sizes.toSorted((x, y) => x - y));
    expect(file.current().size).toBe(100);
    expect(troubles()).toEqual([]);
  });

  it('gives the lock back when the process is killed while it holds it', async () => {
    const script = join(import.meta.dirname, '..', 'fixtures', 'add-keys.mjs');
    const child = spawn(process.execPath, [script, path, 'a', '1000000'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    change((before) => ({ ...before, keys: [...before.keys, entry('b')] }));
    expect(readKeysFile(path, DEFAULT_LIMITS).keys.at(-1)).toEqual(entry('b'));
    expect(existsSync(path)).toBe(true);
  });
});
