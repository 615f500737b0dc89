import { describe, expect, it } from 'vitest';
import { scheduleFromTimelyContact } from '../../../src/schedule/timely-contact.ts';

describe('timely_contact', () => {
  it.each([
    ['2026-12-01T09:30:00+01:00', 'UTC', '2026-12-01T08:30:00.000Z'],
    ['2026-12-01T09:30:00Z', 'Asia/Shanghai', '2026-12-01T09:30:00.000Z'],
    ['2026-12-01-09:30', 'Asia/Shanghai', '2026-12-01T01:30:00.000Z'],
    [' 2026-12-1-9:30 ', 'UTC', '2026-12-01T09:30:00.000Z'],
    ['2026-12-01 09:30:15', 'UTC', '2026-12-01T09:30:15.000Z'],
    // Left out by the clocks: as much later as they are put forward.
    ['2026-03-29-02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-03-08-02:30', 'America/St_Johns', '2026-03-08T06:00:00.000Z'],
    ['2026-10-04-02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    // Shown twice: the first time.
    ['2026-10-25-02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01-01:30', 'America/St_Johns', '2026-11-01T04:00:00.000Z'],
    ['2026-04-05-01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
  ])('reads %s in %s', (text, zone, at) => {
    expect(scheduleFromTimelyContact(text, zone)).toEqual({ ok: true, times: { at } });
  });

  it('reads a cron expression in the zone of the server', () => {
    expect(scheduleFromTimelyContact('30 9 * * MON-FRI', 'Asia/Shanghai')).toEqual({
      ok: true,
      times: { cron: '30 9 * * MON-FRI', timeZone: 'Asia/Shanghai' },
    });
  });

  it.each([
    ['2026-02-30-09:30', 'is a date or time that there is not'],
    ['2026-12-01-24:30', 'is a date or time that there is not'],
    ['tomorrow', 'write 2026-12-01-09:30'],
    ['', 'write 2026-12-01-09:30'],
    ['99 * * * *', 'write 2026-12-01-09:30'],
    [`${'1,'.repeat(100)}1 * * * *`, 'write 2026-12-01-09:30'],
  ])('refuses "%s" in words', (text, words) => {
    const read = scheduleFromTimelyContact(text, 'Europe/Berlin');
    expect(read.ok ? '' : read.message).toContain(words);
  });

  it('refuses a zone that it does not know', () => {
    expect(scheduleFromTimelyContact('2026-12-01-09:30', 'Mars/Olympus')).toEqual({
      ok: false,
      message: '"Mars/Olympus" is no time zone',
    });
  });
});
