import { setImmediate } from 'node:timers/promises';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { QUERY_TERMS } from '../limits.mjs';
import { highlightsIn, makeSnippet } from '../make-snippet.mjs';
import { noteFilter } from '../note-filter.mjs';
import { readFile } from '../notes-folder.mjs';
import { parseNote } from '../parse-note.mjs';
import { parseQuery, toMatchExpression } from '../parse-query.mjs';
import { noteOf, statusOf, withNotes } from '../with-notes.mjs';

/** How much more a word counts in a title, and in a tag, than in the text. */
const WEIGHTS = 'bm25(terms, 8.0, 4.0, 1.0)';

/** Finds notes by what they say, best first. */
export async function search(context, args, call) {
  const { match = 'all', offset = 0, limit = 10 } = args;
  const query = readQuery(args.query);
  const filter = noteFilter(args);
  return await withNotes(context, call, async (database, warnings) => {
    const expression = toMatchExpression(query, { matchAll: match === 'all' });
    const from = `FROM terms JOIN notes ON notes.id = terms.rowid WHERE terms MATCH ? AND ${filter.where}`;
    const values = [expression, ...filter.values];
    const { total } = database.prepare(`SELECT count(*) AS total ${from}`).get(...values);
    const rows = database
      .prepare(`SELECT notes.*, ${WEIGHTS} AS rank ${from} ORDER BY rank, notes.path LIMIT ? OFFSET ?`)
      .all(...values, limit, offset);
    const best = bestRank(database, { from, values, rows, offset });
    const hits = [];
    for (const row of rows) {
      await setImmediate();
      call.signal.throwIfAborted();
      hits.push({ ...noteOf(row), ...(await shown(context.root, row, query, best)) });
    }
    const nextOffset = offset + hits.length < total ? offset + hits.length : null;
    return {
      status: statusOf(warnings),
      data: { hits, total, offset, nextOffset },
      warnings,
      presentation: { summary: summaryOf(total, hits.length, offset, match), preferredView: 'search-hits' },
    };
  });
}

/** The rank of the best hit, also of one on an earlier page: scores are told against it. */
function bestRank(database, { from, values, rows, offset }) {
  if (offset === 0 || rows.length === 0) return rows[0]?.rank;
  return database.prepare(`SELECT ${WEIGHTS} AS rank ${from} ORDER BY rank LIMIT 1`).get(...values).rank;
}

function readQuery(text) {
  const query = parseQuery(text);
  if (query.isTooLong) {
    throw new PluginError(
      'KNOWLEDGE.QUERY_TOO_LONG',
      `"query" has more than ${QUERY_TERMS} words and phrases. Give the few that matter.`,
      {
        target: 'query',
        details: { limit: QUERY_TERMS },
      },
    );
  }
  if (query.wanted.length === 0) {
    const reason = query.excluded.length > 0 ? 'only says what is not wanted' : 'holds no letter and no digit';
    throw new PluginError(
      'KNOWLEDGE.QUERY_EMPTY',
      `"query" ${reason}. Give at least one word that a note should hold.`,
      {
        target: 'query',
      },
    );
  }
  return query;
}

/** The snippet comes from the file itself; of one that has gone since, the title is what is left. */
async function shown(root, { path, title, rank }, query, best) {
  const found = await readFile(root, path);
  const note = found === null ? null : parseNote(path, found.bytes);
  return {
    score: Math.round((rank / best) * 1e4) / 1e4,
    titleHighlights: highlightsIn(title, query),
    snippet:
      note === null
        ? { text: '', line: 1, highlights: [] }
        : makeSnippet(note.body, query, { firstLine: note.bodyLine }),
  };
}

function summaryOf(total, count, offset, match) {
  if (total === 0) {
    return match === 'all'
      ? 'No note has all of these words; "match": "any" finds those that have some'
      : 'No note has any of these words';
  }
  const notes = total === 1 ? '1 note' : `${total} notes`;
  return count === total ? notes : `Notes ${offset + 1} to ${offset + count} of ${total}`;
}
