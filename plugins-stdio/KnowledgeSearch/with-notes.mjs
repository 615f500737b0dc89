import { lockWait, workUntil } from '../lib/call-time.mjs';
import { telling } from './faults.mjs';
import { SEARCH_MS } from './limits.mjs';
import { createNoteIndex } from './note-index.mjs';
import { syncIndex } from './sync-index.mjs';

/** Runs `action(database, warnings)` on an index that was brought up to date; `warnings` say what it lacks. */
export async function withNotes({ root, indexDirectory, locks }, call, action) {
  return await telling(async () => {
    const index = createNoteIndex({ directory: indexDirectory, notesFolder: root, locks });
    return await index.use(async (database) => {
      const until = workUntil(call) - SEARCH_MS;
      const state = await syncIndex(database, root, { until, signal: call.signal });
      return await action(database, warningsOf(state));
    }, lockWait(call));
  });
}

function warningsOf({ pending, left }) {
  const warnings = [];
  const warn = (code, message, details) => warnings.push({ code, message, target: 'data', details });
  if (pending > 0) {
    warn(
      'KNOWLEDGE.INDEX_INCOMPLETE',
      `${pending} new or changed notes were not read yet, because the time was used up; they may be missing here. Call again.`,
      { pending },
    );
  }
  if (left.stopped)
    warn('KNOWLEDGE.TOO_MANY_NOTES', 'The folder holds more notes than are taken in; some are missing here.', {});
  if (left.tooLarge > 0)
    warn('KNOWLEDGE.NOTES_LEFT_OUT', `${left.tooLarge} files are too large for notes and were left out.`, {
      tooLarge: left.tooLarge,
    });
  if (left.unreadable > 0)
    warn(
      'KNOWLEDGE.NOTES_LEFT_OUT',
      `${left.unreadable} files or folders may not be read, or their names are not UTF-8.`,
      { unreadable: left.unreadable },
    );
  return warnings;
}

/** `partial` when notes may be missing that exist. */
export function statusOf(warnings) {
  const isIncomplete = warnings.some(
    ({ code }) => code === 'KNOWLEDGE.INDEX_INCOMPLETE' || code === 'KNOWLEDGE.TOO_MANY_NOTES',
  );
  return isIncomplete ? 'partial' : 'success';
}

/** A row of the index as answers show it. */
export function noteOf({ path, title, tags, updated_at: updatedAt }) {
  return { path, title, tags: JSON.parse(tags), updatedAt };
}
