import { describe, expect, it } from 'vitest';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import { describePlugin } from '../../../src/registry/describe-plugin.ts';
import { nextSnapshot, type SnapshotRules } from '../../../src/registry/next-snapshot.ts';
import { candidateOf, type PluginCandidate } from '../../../src/registry/plugin-candidate.ts';
import { EMPTY_SNAPSHOT, type RegistrySnapshot } from '../../../src/registry/registry-snapshot.ts';
import { retiredVersions, snapshotChanges } from '../../../src/registry/snapshot-changes.ts';
import { manifest } from '../../support/sample-values.ts';

const good = (
  location: string,
  name: string,
  version = '1.0.0',
  more: Record<string, unknown> = {},
): PluginCandidate => {
  const text = JSON.stringify(manifest({ name, version, ...more }));
  return candidateOf(location, text, compilePlugin({ text, directory: `/${location}`, location }), () => null);
};
const bad = (location: string, reason = 'it is broken', name: string | null = null): PluginCandidate => ({
  ok: false,
  location,
  revision: reason,
  refused: { name, location, reason, issues: [{ pointer: '/version', message: reason }] },
});

const step = (
  previous: RegistrySnapshot,
  candidates: readonly PluginCandidate[],
  rules: Partial<SnapshotRules> = {},
): RegistrySnapshot =>
  nextSnapshot(previous, candidates, { switches: new Map(), now: 0, mayStay: () => true, ...rules });
const first = (...candidates: PluginCandidate[]) => step(EMPTY_SNAPSHOT, candidates);

const served = ({ tools }: RegistrySnapshot) =>
  Object.fromEntries(
    [...tools].map(
      ([
        name,
        {
          manifest: { version },
          directory,
        },
      ]) => [name, `${version} ${directory}`],
    ),
  );
const told = (previous: RegistrySnapshot, next: RegistrySnapshot) =>
  snapshotChanges(previous, next).map(({ change, name, version, reason }) => [change, name, version, reason]);

describe('what is found anew', () => {
  it('leaves what has not changed the very objects that they were', () => {
    const before = first(good('a', 'A'), good('b', 'B'));
    const after = step(before, [good('a', 'A'), good('b', 'B', '2.0.0')]);
    expect(after.tools.get('A')).toBe(before.tools.get('A'));
    expect(after.tools.get('B')).not.toBe(before.tools.get('B'));
    expect(served(after)).toEqual({ A: '1.0.0 /a', B: '2.0.0 /b' });
    expect(told(before, after)).toEqual([['reloaded', 'B', '2.0.0', null]]);
    expect(retiredVersions(before, after)).toEqual([before.tools.get('B')]);
  });

  it('does not touch the state before it', () => {
    const before = first(good('a', 'A'));
    step(before, []);
    expect(served(before)).toEqual({ A: '1.0.0 /a' });
  });

  it('adds what is new and takes away what is gone', () => {
    const before = first(good('a', 'A'));
    const after = step(before, [good('b', 'B')]);
    expect(served(after)).toEqual({ B: '1.0.0 /b' });
    expect(told(before, after)).toEqual([
      ['retired', 'A', '1.0.0', 'removed'],
      ['loaded', 'B', '1.0.0', null],
    ]);
  });

  it('takes a plugin with another name for another plugin', () => {
    const before = first(good('a', 'Old'));
    const after = step(before, [good('a', 'New')]);
    expect(told(before, after)).toEqual([
      ['loaded', 'New', '1.0.0', null],
      ['retired', 'Old', '1.0.0', 'removed'],
    ]);
    expect(retiredVersions(before, after)).toEqual([before.tools.get('Old')]);
  });

  it('lets two folders change names', () => {
    const before = first(good('a', 'X'), good('b', 'Y'));
    // One after the other: the name is taken until the second folder has given it back.
    const between = step(before, [good('a', 'Y'), good('b', 'Y')]);
    expect(served(between)).toEqual({ Y: '1.0.0 /a' });
    const after = step(between, [good('a', 'Y'), good('b', 'X')]);
    expect(served(after)).toEqual({ X: '1.0.0 /b', Y: '1.0.0 /a' });
    expect(served(step(before, [good('a', 'Y'), good('b', 'X')]))).toEqual(served(after));
  });
});

describe('a newest state that is refused', () => {
  it('leaves the last good version in its place, and says so', () => {
    const before = first(good('a', 'A', '1.2.0'));
    const after = step(before, [bad('a')]);
    expect(after.tools.get('A')).toBe(before.tools.get('A'));
    expect(after.entries[0]?.refused).toEqual({
      name: 'A',
      location: 'a',
      reason: 'it is broken',
      issues: [{ pointer: '/version', message: 'it is broken' }],
      serving: '1.2.0',
    });
    expect(told(before, after)).toEqual([['refused', 'A', '1.2.0', 'it is broken']]);
    expect(retiredVersions(before, after)).toEqual([]);
  });

  it('is told once, and again for another reason', () => {
    const broken = step(first(good('a', 'A')), [bad('a')]);
    const again = step(broken, [bad('a')]);
    expect(told(broken, again)).toEqual([]);
    expect(told(again, step(again, [bad('a', 'it is broken otherwise')]))).toEqual([
      ['refused', 'A', '1.0.0', 'it is broken otherwise'],
    ]);
  });

  it('is forgotten when it is mended; one that is taken back was never replaced', () => {
    const before = first(good('a', 'A'));
    const broken = step(before, [bad('a')]);
    const back = step(broken, [good('a', 'A')]);
    expect([back.entries[0]?.refused, back.tools.get('A')]).toEqual([null, before.tools.get('A')]);
    expect(told(broken, back)).toEqual([]);
    expect(told(broken, step(broken, [good('a', 'A', '2.0.0')]))).toEqual([['reloaded', 'A', '2.0.0', null]]);
  });

  it('gives way to a whole plugin that has its name', () => {
    const before = first(good('a', 'A', '1.0.0'));
    expect(served(step(before, [bad('a'), good('b', 'A', '3.0.0')]))).toEqual({ A: '3.0.0 /b' });
  });

  it('may also be that its new name is taken', () => {
    const before = first(good('a', 'A'), good('b', 'B'));
    const after = step(before, [good('a', 'A'), good('b', 'A')]);
    expect(served(after)).toEqual({ A: '1.0.0 /a', B: '1.0.0 /b' });
    expect(after.entries[1]?.refused).toMatchObject({ serving: '1.0.0', reason: expect.stringContaining('is taken') });
  });

  it('takes the tool away when nothing may stay', () => {
    const before = first(good('a', 'A'));
    const after = step(before, [bad('a', 'not trusted any more', 'A')], { mayStay: () => false });
    expect(served(after)).toEqual({});
    expect(told(before, after)).toEqual([
      ['retired', 'A', '1.0.0', 'refused'],
      ['refused', 'A', null, 'not trusted any more'],
    ]);
  });

  it('has nothing to fall back on when it is the first', () => {
    const refused = first(bad('a'));
    expect(refused.entries.map(describePlugin)).toMatchObject([{ state: 'refused', version: null, enabled: null }]);
  });
});

describe('the word of an operator', () => {
  const off = { switches: new Map([['A', false]]) };
  const on = { switches: new Map([['A', true]]) };

  it('goes before the manifest, both ways', () => {
    expect(step(EMPTY_SNAPSHOT, [good('a', 'A')], off).tools.get('A')?.enabled).toBe(false);
    expect(step(EMPTY_SNAPSHOT, [good('a', 'A', '1.0.0', { enabled: false })], on).tools.get('A')?.enabled).toBe(true);
    expect(first(good('a', 'A', '1.0.0', { enabled: false })).tools.get('A')?.enabled).toBe(false);
  });

  it('retires the version that it switches off, and makes another of it when it comes back', () => {
    const before = first(good('a', 'A'));
    const without = step(before, [good('a', 'A')], off);
    const again = step(without, [good('a', 'A')], on);
    expect(retiredVersions(before, without)).toEqual([before.tools.get('A')]);
    expect(told(before, without)).toEqual([['retired', 'A', '1.0.0', 'disabled']]);
    expect(told(without, again)).toEqual([['loaded', 'A', '1.0.0', 'enabled']]);
    expect(again.tools.get('A')).not.toBe(before.tools.get('A'));
    expect(again.tools.get('A')?.manifest).toBe(before.tools.get('A')?.manifest);
  });

  it('holds for the versions that follow, also a last good one', () => {
    const without = step(first(good('a', 'A')), [good('a', 'A')], off);
    expect(step(without, [good('a', 'A', '2.0.0')], off).tools.get('A')?.enabled).toBe(false);
    const broken = step(without, [bad('a')], off);
    expect(broken.entries.map(describePlugin)).toMatchObject([
      {
        name: 'A',
        version: '1.0.0',
        state: 'disabled',
        enabled: false,
        switchedBy: 'operator',
        reason: 'it is broken',
      },
    ]);
  });
});

describe('the description of a plugin', () => {
  it('tells its state, and when the version came', () => {
    const before = step(EMPTY_SNAPSHOT, [good('a', 'A'), bad('b')], { now: Date.UTC(2026, 10, 30) });
    const after = step(before, [good('a', 'A'), bad('b')], { now: Date.UTC(2027, 0, 1) });
    expect(after.entries.map(describePlugin)).toMatchObject([
      { name: 'A', state: 'serving', loadedAt: '2026-11-30T00:00:00.000Z', switchedBy: 'manifest', reason: null },
      { name: null, state: 'refused', loadedAt: null, digest: null, issues: [{ pointer: '/version' }] },
    ]);
    expect(step(after, [bad('a'), bad('b')]).entries.map(describePlugin)[0]).toMatchObject({ state: 'stale' });
  });
});
