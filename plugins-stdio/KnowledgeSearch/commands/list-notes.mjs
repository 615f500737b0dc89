import { noteFilter } from '../note-filter.mjs';
import { noteOf, statusOf, withNotes } from '../with-notes.mjs';

const COLUMNS = { title: 'notes.title', updated: 'notes.updated_at', path: 'notes.path' };

/** Lists notes, a page at a time. */
export async function listNotes(context, args, call) {
  const { sort = 'updated', order = sort === 'updated' ? 'descending' : 'ascending', offset = 0, limit = 50 } = args;
  const filter = noteFilter(args);
  return await withNotes(context, call, async (database, warnings) => {
    const { total } = database
      .prepare(`SELECT count(*) AS total FROM notes WHERE ${filter.where}`)
      .get(...filter.values);
    const direction = order === 'descending' ? 'DESC' : 'ASC';
    const notes = database
      .prepare(
        `SELECT * FROM notes WHERE ${filter.where} ORDER BY ${COLUMNS[sort]} ${direction}, notes.path LIMIT ? OFFSET ?`,
      )
      .all(...filter.values, limit, offset)
      .map((row) => ({ ...noteOf(row), sizeBytes: row.size }));
    const nextOffset = offset + notes.length < total ? offset + notes.length : null;
    return {
      status: statusOf(warnings),
      data: { notes, total, offset, nextOffset },
      warnings,
      presentation: { summary: total === 1 ? '1 note' : `${total} notes`, preferredView: 'note-list' },
    };
  });
}
