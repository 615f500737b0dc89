import { describe, expect, it } from 'vitest';
import { requirementFaults, type KnownTitles } from './check-requirements.ts';
import type { Requirements } from './requirement.ts';
import { requirements } from './requirements.ts';
import { testFiles, titlesOf } from './test-titles.ts';

const upTo = (chapter: number, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `§${chapter}.${index + 1}`);

/** The sections of the specification that say what the runtime does, and of the design's §6 what proves it. */
const SECTIONS = [
  '§2.2',
  ...[
    upTo(4, 9),
    upTo(5, 10),
    upTo(6, 4),
    upTo(7, 6),
    upTo(8, 6),
    upTo(9, 3),
    upTo(10, 6),
    upTo(11, 4),
    upTo(12, 3),
  ].flat(),
  ...[upTo(13, 4), upTo(14, 4)].flat(),
  '§15',
  '§16.3',
  ...[upTo(17, 6), upTo(18, 3), upTo(19, 4)].flat(),
  '§21',
  '§22',
];

const known: KnownTitles = new Map(testFiles().map((file) => [file, titlesOf(file)]));

describe('the requirements', () => {
  it('map every section to tests that exist, or say why there are none yet', () => {
    expect(requirementFaults(requirements, SECTIONS, known)).toEqual([]);
  });

  it('see the titles of every test file', () => {
    const empty = [...known].filter(([file, titles]) => /\.test\.(?:ts|mjs)$/.test(file) && titles.length === 0);
    // These are a call of a suite, whose own file has the titles.
    const callsOfSuites =
      /^test\/(?:contract\/(?:memory-|sqlite-(?:task|inbox)-store\.|wasm\/worker-sandbox\.)|workers\/d1-inbox-store\.)/;
    expect(empty.map(([file]) => file).filter((file) => !callsOfSuites.test(file))).toEqual([]);
  });
});

describe('the check of the requirements', () => {
  const titles: KnownTitles = new Map([['test/a.test.ts', ['does one thing', 'keeps the rules (§9.1)']]]);
  const check = (map: unknown) => requirementFaults(map as Requirements, ['§9.1', '§9.10'], titles);
  const proved = { says: 'x', tests: { 'test/a.test.ts': ['does one'] } };

  it('accepts a title by its beginning', () => {
    expect(check({ '§9.1': proved, '§9.10': { says: 'x', planned: 'soon' } })).toEqual([]);
  });

  it.each([
    ['a section that is missing', { '§9.1': proved }, '§9.10 is missing'],
    ['a section that does not exist', { '§9.1': proved, '§9.10': proved, '§99': proved }, '§99 is no section'],
    ['a section without a test', { '§9.1': { says: 'x', tests: {} }, '§9.10': proved }, '§9.1 names no test'],
    [
      'a file that does not exist',
      { '§9.1': { says: 'x', tests: { 'test/b.test.ts': ['y'] } }, '§9.10': proved },
      '§9.1: there is no test file test/b.test.ts',
    ],
    [
      'a title that does not exist',
      { '§9.1': { says: 'x', tests: { 'test/a.test.ts': ['does two'] } }, '§9.10': proved },
      '§9.1: test/a.test.ts has no test "does two"',
    ],
    [
      'an empty title',
      { '§9.1': { says: 'x', tests: { 'test/a.test.ts': [''] } }, '§9.10': proved },
      '§9.1: test/a.test.ts has no test ""',
    ],
    [
      'a plan without a reason',
      { '§9.1': proved, '§9.10': { says: 'x', planned: ' ' } },
      '§9.10 is planned without a reason',
    ],
    [
      'a plan that names tests',
      { '§9.1': proved, '§9.10': { ...proved, planned: 'soon' } },
      '§9.10 is planned and names tests',
    ],
    [
      'a plan that a test names',
      { '§9.1': { says: 'x', planned: 'soon' }, '§9.10': proved },
      '§9.1 is planned, but test/a.test.ts has "keeps the rules (§9.1)"',
    ],
  ])('notices %s', (_, map, fault) => {
    expect(check(map)).toEqual([fault]);
  });

  it('reads titles of plain, tabled and templated tests, and of Python', () => {
    const contract = titlesOf('test/plugins/plugin-contract.test.ts');
    expect(contract).toEqual(
      expect.arrayContaining(['finds plugins to test', '$kind: $name', 'the migration ledger (§16.3)']),
    );
    expect(contract).not.toContain('success');
    expect(titlesOf('plugins-stdio/SciCalculator/tests/test_limits.py').length).toBeGreaterThan(0);
    expect(titlesOf('plugins-stdio/ScheduleManager/tests/plugin.test.mjs')).toContain('contract: ');
  });
});
