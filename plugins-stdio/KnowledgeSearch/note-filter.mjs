import { PluginError } from '../../plugin-kit/node/vcp-plugin.mjs';
import { segmentsOf } from '../lib/path-segments.mjs';
import { foldTag } from './front-matter.mjs';
import { translated } from './faults.mjs';

/** The conditions that Search and ListNotes share, as `{ where, values }` for SQL on the table `notes`. */
export function noteFilter({ folder, tags = [], updatedFrom, updatedUntil }) {
  const conditions = ['notes.is_note = 1'];
  const values = [];
  if (folder !== undefined) {
    const prefix = folderPrefix(folder);
    conditions.push('substr(notes.path, 1, length(?)) = ?');
    values.push(prefix, prefix);
  }
  for (const tag of tags) {
    conditions.push('EXISTS (SELECT 1 FROM tags WHERE tags.note = notes.id AND tags.tag = ?)');
    values.push(foldTag(tag));
  }
  const from = timeOf(updatedFrom, 'updatedFrom');
  const until = timeOf(updatedUntil, 'updatedUntil');
  if (from !== null) {
    conditions.push('notes.updated_at >= ?');
    values.push(from);
  }
  if (until !== null) {
    conditions.push('notes.updated_at < ?');
    values.push(until);
  }
  if (from !== null && until !== null && from > until) {
    throw new PluginError(
      'INVALID_ARGUMENT',
      '"updatedUntil" is earlier than "updatedFrom", so no note can lie between.',
      {
        target: 'updatedUntil',
      },
    );
  }
  return { where: conditions.join(' AND '), values };
}

function folderPrefix(folder) {
  try {
    const segments = segmentsOf(folder);
    return segments.length === 0 ? '' : `${segments.join('/')}/`;
  } catch (error) {
    throw translated(error, 'folder');
  }
}

/** A day means its beginning in UTC. */
function timeOf(text, target) {
  if (text === undefined) return null;
  const isTime = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  const isReal = !Number.isNaN(time) && (text.length > 10 || new Date(time).toISOString().startsWith(text));
  if (isReal) return new Date(time).toISOString();
  throw new PluginError(
    'INVALID_ARGUMENT',
    `"${target}" is no date such as 2026-07-12 and no date-time such as 2026-07-12T10:00:00+08:00.`,
    {
      target,
    },
  );
}
