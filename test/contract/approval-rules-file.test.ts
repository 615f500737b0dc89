// The file of approval rules as operators change it under a running server.
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ApprovalRulesFault,
  openApprovalRules,
  type ApprovalRulesFile,
} from '../../adapters/node/approval-rules-file.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { LogFields } from '../../src/ports/logger.ts';

let directory: string;
let path: string;
let logged: string[];
const opened: ApprovalRulesFile[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-rules-'));
  path = join(directory, 'approval-rules.json');
  logged = [];
});
afterEach(() => {
  for (const file of opened.splice(0)) file.close();
  rmSync(directory, { recursive: true, force: true });
});

const open = (isExpected = false): ApprovalRulesFile => {
  const log = (event: string, { reason }: LogFields = {}) =>
    void logged.push(`${event} ${String(reason ?? '')}`.trim());
  const logger = { debug: log, info: log, warn: log, error: log };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const file = openApprovalRules({ path, isExpected, limits: DEFAULT_LIMITS, clock, logger });
  opened.push(file);
  return file;
};
const write = (...effects: string[]) =>
  writeFileSync(path, JSON.stringify({ version: 1, rules: effects.map((effect) => ({ tools: ['*'], effect })) }), {
    mode: 0o644,
  });
const effectsOf = (file: ApprovalRulesFile) => file.current().map(({ effect }) => effect);

describe('the file of approval rules', () => {
  it('need not be there, and is taken when it comes', () => {
    const file = open();
    expect(effectsOf(file)).toEqual([]);
    write('require');
    expect(effectsOf(file)).toEqual(['require']);
    expect(logged).toEqual(['approval-rules.loaded']);
  });

  it('is taken as it is at each call, however it was replaced', () => {
    write('require');
    const file = open();
    write('allow', 'reject');
    expect(effectsOf(file)).toEqual(['allow', 'reject']);
    const next = join(directory, 'next.json');
    writeFileSync(next, '{"version":1,"rules":[]}');
    renameSync(next, path);
    expect(effectsOf(file)).toEqual([]);
  });

  it('leaves the rules of before in force when it cannot be used, and says so once', () => {
    write('reject');
    const file = open();
    writeFileSync(path, '{"version":1,"rules":[{"tools":["*"]}]}');
    expect([effectsOf(file), effectsOf(file)]).toEqual([['reject'], ['reject']]);
    const faults = logged.filter((line) => line.startsWith('approval-rules.not-loaded'));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/\/rules\/0\/effect.*; the rules of before stay in force$/);
    write('require');
    expect(effectsOf(file)).toEqual(['require']);
  });

  it('lifts nothing by going away', () => {
    write('reject');
    const file = open();
    rmSync(path);
    expect([effectsOf(file), effectsOf(file)]).toEqual([['reject'], ['reject']]);
    expect(logged.filter((line) => line.includes('there is no file of approval rules'))).toHaveLength(1);
    write('reject');
    expect(effectsOf(file)).toEqual(['reject']);
  });

  it('keeps a server from starting when it is broken, is no file, or was named and is not there', () => {
    expect(() => open(true)).toThrow(ApprovalRulesFault);
    writeFileSync(path, '{');
    expect(() => open()).toThrow(`the approval rules in ${path} cannot be used`);
    rmSync(path);
    path = directory;
    expect(() => open()).toThrow('it is not a file');
  });

  it('is worth a word when others may write it', () => {
    write('require');
    chmodSync(path, 0o666);
    open();
    expect(logged).toContainEqual(expect.stringMatching(/^approval-rules\.writable-by-others .*mode 666.*chmod go-w/));
  });
});
