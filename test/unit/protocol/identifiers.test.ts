import { describe, expect, it } from 'vitest';
import {
  ApprovalId,
  InvocationId,
  RecordId,
  RequestId,
  ResourceId,
  ResultId,
  TaskId,
} from '../../../src/protocol/ids.ts';
import { CommandName, ToolName } from '../../../src/protocol/names.ts';
import { Timestamp } from '../../../src/protocol/timestamp.ts';

const KINDS = {
  tr_: ResultId,
  ti_: InvocationId,
  req_: RequestId,
  tcr_: RecordId,
  task_: TaskId,
  res_: ResourceId,
  apr_: ApprovalId,
};
const ULID = '01JABCDEFGHJKMNPQRSTVWXYZ0';

describe('ids', () => {
  it.each(Object.entries(KINDS))('%s goes before a ULID', (prefix, Id) => {
    expect(Id.safeParse(prefix + ULID).success).toBe(true);
    expect(Id.safeParse(ULID).success).toBe(false);
    expect(Id.safeParse(prefix).success).toBe(false);
  });

  it.each(Object.keys(KINDS))('of kind %s are not ids of another kind', (prefix) => {
    const accepting = Object.entries(KINDS).filter(([, Id]) => Id.safeParse(prefix + ULID).success);
    expect(accepting.map(([other]) => other)).toEqual([prefix]);
  });

  it.each([
    ['lower case', 'tr_01jabcdefghjkmnpqrstvwxyz0'],
    ['one character short', 'tr_01JABCDEFGHJKMNPQRSTVWXYZ'],
    ['one character long', 'tr_01JABCDEFGHJKMNPQRSTVWXYZ00'],
    ['letters that ULIDs leave out', 'tr_01ILOUCDEFGHJKMNPQRSTVWXYZ'],
    ['a time past the last ULID', 'tr_81JABCDEFGHJKMNPQRSTVWXYZ0'],
    ['the elided id of the specification', 'tr_01J...'],
    ['a line break behind', `tr_${ULID}\n`],
  ])('refuses %s', (_, id) => {
    expect(ResultId.safeParse(id).success).toBe(false);
  });
});

describe('names', () => {
  it.each(['ScheduleManager', 'a', '日程管理器', 'Wan2.1VideoGen', 'a-b_c.d', `a${'b'.repeat(63)}`])(
    'of tools may be %s',
    (name) => {
      expect(ToolName.safeParse(name).success).toBe(true);
    },
  );

  it.each(['', '1tool', '_a', 'a b', 'a/b', 'a\n', '__proto__', `a${'b'.repeat(64)}`])(
    'of tools may not be %j',
    (name) => {
      expect(ToolName.safeParse(name).success).toBe(false);
    },
  );

  it('of commands may be twice as long', () => {
    expect([128, 129].map((length) => CommandName.safeParse('a'.repeat(length)).success)).toEqual([true, false]);
  });
});

describe('timestamps', () => {
  it.each(['2026-07-11T15:30:00.000+08:00', '2026-07-11T07:30:00Z', '2026-07-11T07:30:00.123456Z'])(
    'may be %s',
    (time) => {
      expect(Timestamp.safeParse(time).success).toBe(true);
    },
  );

  it.each([
    '2026-07-11',
    '2026-07-11T07:30:00',
    '2026-07-11 07:30:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-07-11T25:00:00Z',
    'now',
  ])('may not be %s', (time) => {
    expect(Timestamp.safeParse(time).success).toBe(false);
  });
});
