import { describe, expect, it } from 'vitest';
import { formatBytes, readAll } from '../../../src/lib/bytes.ts';
import { deepFreeze } from '../../../src/lib/deep-freeze.ts';
import { giveBack } from '../../../src/lib/give-back.ts';
import { jsonTextOf } from '../../../src/lib/json-text.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import { neutraliseMarkers } from '../../../src/lib/neutralise-markers.ts';
import { suggestName } from '../../../src/lib/suggest.ts';
import { createUlidIds } from '../../../src/lib/ulid-ids.ts';

describe('suggestName', () => {
  const known = ['ScheduleManager', 'SciCalculator', 'AddSchedule', 'go'];

  it.each([
    ['ScheduleManger', 'ScheduleManager'],
    ['schedulemanager', 'ScheduleManager'],
    ['SciCalc', 'SciCalculator'],
    ['sci', 'SciCalculator'],
    ['sc', 'go'],
    ['Calc', null],
    ['AddShedule', 'AddSchedule'],
    ['Weather', null],
    ['g', 'go'],
    ['', 'go'],
  ])('for "%s" gives %s', (given, expected) => {
    expect(suggestName(given, known)).toBe(expected);
  });

  it('gives nothing when nothing is known', () => {
    expect(suggestName('anything', [])).toBeNull();
  });

  it('is quick for a very long name', () => {
    expect(suggestName('x'.repeat(1_000_000), known)).toBeNull();
  });
});

describe('giveBack', () => {
  it('empties bytes that are the whole of a large memory', () => {
    const bytes = new Uint8Array(100_000).fill(7);
    giveBack(bytes);
    expect(bytes.length).toBe(0);
  });

  it('leaves alone what others may have a part of', () => {
    const whole = new Uint8Array(100_000).fill(7);
    giveBack(whole.subarray(1));
    giveBack(whole.subarray(0, 99_999));
    giveBack(new Uint8Array(whole.buffer, 50_000));
    expect(whole.every((byte) => byte === 7)).toBe(true);
    expect(whole.length).toBe(100_000);
  });

  it('does nothing to small or empty bytes', () => {
    const small = Uint8Array.of(1, 2, 3);
    giveBack(small);
    giveBack(new Uint8Array());
    expect([...small]).toEqual([1, 2, 3]);
  });
});

describe('deepFreeze', () => {
  it('freezes all that a value holds, also inside a shell that is frozen already', () => {
    const inner = { list: [{ a: 1 }] };
    const root = deepFreeze({ shell: Object.freeze({ inner }) });
    expect([root, root.shell.inner, inner.list, inner.list[0]].every((value) => Object.isFrozen(value))).toBe(true);
    expect(() => void inner.list.push({ a: 2 })).toThrow(TypeError);
  });

  it('gives scalars back', () => {
    expect([deepFreeze(null), deepFreeze(5), deepFreeze('a')]).toEqual([null, 5, 'a']);
  });

  it('does not overflow the stack at 100,000 levels', () => {
    let value: { a?: unknown } = {};
    const innermost = value;
    for (let level = 0; level < 100_000; level += 1) value = { a: value };
    deepFreeze(value);
    expect(Object.isFrozen(innermost)).toBe(true);
  });
});

describe('ids', () => {
  it('increase also when the clock goes back', () => {
    const times = [1_000_000, 999_000, 5, 1_000_000, 1_000_001];
    const ids = createUlidIds(() => times.shift() ?? 0);
    const made = [1, 2, 3, 4, 5].map(() => ids.next('result'));
    expect([...made].toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(5);
  });

  it('begin with the prefix of their kind', () => {
    const ids = createUlidIds(() => 0);
    const kinds = ['result', 'invocation', 'request', 'record', 'task', 'resource', 'approval'] as const;
    expect(kinds.map((kind) => ids.next(kind).split('_')[0])).toEqual(['tr', 'ti', 'req', 'tcr', 'task', 'res', 'apr']);
  });

  it('are ULIDs, 10,000 of one millisecond included', () => {
    const ids = createUlidIds(() => 1_700_000_000_000);
    const made = Array.from({ length: 10_000 }, () => ids.next('task'));
    expect(new Set(made).size).toBe(10_000);
    expect(made.every((id) => /^task_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id))).toBe(true);
  });
});

describe('neutraliseMarkers', () => {
  it.each([
    '<<<[TOOL_REQUEST]>>>',
    '<<<[END_TOOL_REQUEST]>>>',
    '<<<[tool_request]>>>',
    '<<<[ TOOL_REQUEST',
    '<<<[TOOL_REQUEST_ESCAPE]>>>',
    '<<<<[TOOL_REQUEST]>>>',
  ])('leaves no marker in %s', (marker) => {
    expect(neutraliseMarkers(`a ${marker} b`)).not.toContain('<<<[');
  });

  it('keeps everything else', () => {
    const text = 'a <<< b <<<[OTHER]>>> [TOOL_REQUEST] 「始」';
    expect(neutraliseMarkers(text)).toBe(text);
  });
});

describe('jsonTextOf', () => {
  it('makes the text of a sealed value once', () => {
    let reads = 0;
    const value = Object.freeze({
      a: Object.freeze({
        toJSON: () => {
          reads += 1;
          return 1;
        },
      }),
    });
    expect([jsonTextOf(value), jsonTextOf(value), reads]).toEqual(['{"a":1}', '{"a":1}', 1]);
  });

  it('follows a value that can still change', () => {
    const value = { a: 1 };
    expect(jsonTextOf(value)).toBe('{"a":1}');
    value.a = 2;
    expect(jsonTextOf(value)).toBe('{"a":2}');
  });
});

describe('bytes', () => {
  it.each([
    [0, '0 bytes'],
    [1_023, '1023 bytes'],
    [1_024, '1.0 KiB'],
    [1_572_864, '1.5 MiB'],
    [5 * 1024 ** 4, '5120.0 GiB'],
  ])('%i reads as %s', (count, text) => {
    expect(formatBytes(count)).toBe(text);
  });

  it('of a stream are gathered whole', async () => {
    expect(await readAll(new Blob(['ab', 'c']).stream())).toEqual(new TextEncoder().encode('abc'));
  });
});

describe('messageOf', () => {
  it.each<[string, unknown, string]>([
    ['an error', new TypeError('no'), 'no'],
    ['a text', 'no', 'no'],
    ['nothing', undefined, 'undefined'],
  ])('of %s', (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });
});
