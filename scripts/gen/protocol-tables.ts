import type * as Protocol from '../../src/protocol/index.ts';
import { markdownTable } from './write.ts';

/** The tables of `docs/protocol.md`, by section name. */
export const protocolTables = (protocol: typeof Protocol): Record<string, string> => ({
  statuses: markdownTable(
    ['status', 'means', '`data`', '`error`', '`task`'],
    Object.entries(protocol.STATUS_TABLE).map(([status, row]) => [
      `\`${status}\``,
      row.meaning,
      row.data,
      row.error,
      row.task,
    ]),
  ),
  ids: markdownTable(
    ['kind', 'prefix'],
    Object.entries(protocol.ID_PREFIXES).map(([kind, prefix]) => [kind, `\`${prefix}\``]),
  ),
  'error-categories': markdownTable(
    ['category', 'means', 'given by'],
    Object.entries(protocol.ERROR_CATEGORIES).map(([category, meaning]) => [
      `\`${category}\``,
      meaning,
      protocol.PLUGIN_ERROR_CATEGORIES.has(category as Protocol.ErrorCategory) ? 'plugin or core' : 'core',
    ]),
  ),
  'error-codes': markdownTable(
    ['code', 'category', 'means'],
    Object.entries({ ...protocol.STANDARD_ERROR_CODES, ...protocol.CORE_ERROR_CODES }).map(([code, facts]) => [
      `\`${code}\``,
      `\`${facts.category}\``,
      facts.meaning,
    ]),
  ),
  warnings: markdownTable(
    ['code', 'means'],
    Object.entries(protocol.CORE_WARNING_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
  ),
  'task-transitions': markdownTable(
    ['from', 'to'],
    Object.entries(protocol.TASK_TRANSITIONS).map(([from, to]) => [
      `\`${from}\``,
      to.length === 0 ? 'nothing: it has ended' : to.map((state) => `\`${state}\``).join(', '),
    ]),
  ),
});
