// The codes of the text protocol, and that its page, its cases and its code speak of the same rules.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/repository.ts';
import { DIAGNOSTICS } from '../../src/instruction/diagnostic.ts';
import { INSTRUCTION_WARNINGS } from '../../src/instruction/instruction-warning.ts';
import * as markers from '../../src/instruction/markers.ts';

type Case = { rule: string; blocks: { call?: { warnings?: { code: string }[] }; diagnostics?: { code: string }[] }[] };

const folder = join(root, 'test/fixtures/instruction');
const cases = readdirSync(folder)
  .filter((file) => file !== 'tools.json')
  .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[]);
const page = readFileSync(join(root, 'docs/instruction-protocol.md'), 'utf8');

describe('the text protocol', () => {
  it('has these literals', () => {
    expect({ ...markers }).toEqual({
      BLOCK_START: '<<<[TOOL_REQUEST]>>>',
      BLOCK_END: '<<<[END_TOOL_REQUEST]>>>',
      EXAMPLE_START: '<<<[TOOL_REQUEST_EXP]>>>',
      EXAMPLE_END: '<<<[END_TOOL_REQUEST_EXP]>>>',
      VALUE_START: '「始」',
      VALUE_END: '「末」',
      ESCAPED_VALUE_START: '「始ESCAPE」',
      ESCAPED_VALUE_END: '「末ESCAPE」',
    });
  });

  it('has these diagnostics and warnings', () => {
    expect(Object.keys(DIAGNOSTICS)).toEqual([
      'BLOCK_NOT_CLOSED',
      'BLOCK_TOO_LARGE',
      'VALUE_NOT_CLOSED',
      'VALUE_NOT_OPENED',
      'VALUE_WITHOUT_KEY',
      'NESTED_BLOCK',
      'NO_TOOL_NAME',
      'INVALID_CONTROL',
      'SERIES_INCOMPLETE',
      'SERIES_TOO_LONG',
      'NO_BLOCK',
      'SEVERAL_BLOCKS',
      'UNSUPPORTED_CONTROL',
    ]);
    expect(Object.keys(INSTRUCTION_WARNINGS)).toEqual(['REPEATED_KEY', 'EXAMPLE_SKIPPED', 'UNKNOWN_CONTROL_VALUE']);
  });

  it('has cases for every rule of its page, and no others', () => {
    const grammar = page.slice(0, page.indexOf('## Diagnostics'));
    const inTables = [...grammar.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, rule = '']) => rule);
    const inProse = [...page.matchAll(/\(rules? ([^)]*)\)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/`([a-z-]+)`/g)].map(([, rule = '']) => rule),
    );
    const rules = new Set(cases.map(({ rule }) => rule));
    expect([...rules].toSorted()).toEqual([...new Set([...inTables, ...inProse])].toSorted());
    expect(cases.length).toBeGreaterThan(150);
  });

  it('has a case for every diagnostic and warning of a block', () => {
    const seen = new Set(
      cases.flatMap(({ blocks }) =>
        blocks.flatMap(({ call, diagnostics }) =>
          [...(diagnostics ?? []), ...(call?.warnings ?? [])].map(({ code }) => code),
        ),
      ),
    );
    // The last three are those of a text that has to hold one call; the tests of that route have them.
    expect(
      [...Object.keys(DIAGNOSTICS).slice(0, -3), ...Object.keys(INSTRUCTION_WARNINGS)].filter(
        (code) => !seen.has(code),
      ),
    ).toEqual([]);
  });
});
