import { expect, it } from 'vitest';
import { timeVariables } from '../../../src/chat/variables/time-variables.ts';
import { expand } from '../../support/chat.ts';

const at = (time: string, timeZone: string, locale = 'en') =>
  timeVariables({ clock: { now: () => Date.parse(time) }, timeZone, locale });
const ALL = '{{Date}} {{Time}} {{Today}} {{DateTime}} {{Timezone}}';

it.each([
  [
    '2026-11-30T16:05:09Z',
    'Asia/Shanghai',
    'zh-CN',
    '2026-12-01 00:05:09 星期二 2026-12-01T00:05:09+08:00 Asia/Shanghai',
  ],
  ['2026-07-04T23:00:00Z', 'UTC', 'en', '2026-07-04 23:00:00 Saturday 2026-07-04T23:00:00+00:00 UTC'],
  [
    '2026-01-01T00:00:00Z',
    'America/St_Johns',
    'en',
    '2025-12-31 20:30:00 Wednesday 2025-12-31T20:30:00-03:30 America/St_Johns',
  ],
  ['2026-07-04T00:00:00Z', 'UTC', 'ar-EG', '2026-07-04 00:00:00 السبت 2026-07-04T00:00:00+00:00 UTC'],
])('%s is told in %s as people there write it (%s)', async (time, zone, locale, expected) => {
  expect((await expand(ALL, [at(time, zone, locale)])).text).toBe(expected);
});
