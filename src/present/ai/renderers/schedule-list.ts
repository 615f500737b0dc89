import { countLine, findList, firstField, isPlainObject, joined, renderEntries, renderRest } from './entries.ts';
import type { Renderer } from './renderer.ts';

const LISTS = ['schedules', 'events', 'appointments', 'tasks', 'items'];
const BEGINS = ['time', 'start', 'startTime', 'startsAt', 'startAt', 'dateTime', 'date', 'dueAt', 'due', 'from'];
const ENDS = ['end', 'endTime', 'endsAt', 'endAt', 'until', 'to'];
const WORDS = ['content', 'title', 'summary', 'subject', 'name', 'description'];

/** Appointments: when, and what. */
export const scheduleList: Renderer = {
  name: 'schedule-list',
  part: 'data',
  matches: ({ presentation }) => presentation?.preferredView === 'schedule-list',
  render: ({ result: { data }, cuts }) => {
    const found = findList(data, LISTS);
    if (found === null || !found.items.every((item) => firstField(item, BEGINS) && firstField(item, WORDS)))
      return null;
    const entries = renderEntries(found, cuts, (item, path) =>
      joined([firstField(item, BEGINS), firstField(item, ENDS), firstField(item, WORDS)], path, cuts),
    );
    const rest = isPlainObject(data) ? renderRest(data, [found.key ?? ''], ['data'], cuts) : [];
    return [countLine(found, cuts), ...entries, ...rest];
  },
};
