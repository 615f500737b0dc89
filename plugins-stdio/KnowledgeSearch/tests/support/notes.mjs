import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commands } from '../../commands.mjs';
import { notesContext } from '../../notes-context.mjs';

/** A notes folder of its own, removed when the test has ended, with the commands at hand. */
export async function notes(test) {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'knowledge-search-'));
  test.after(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const context = await notesContext({ dataDirectory });
  const at = (path) => join(context.root, path);
  const run = async (command, args = {}, { milliseconds = 60_000, signal = new AbortController().signal } = {}) => {
    const call = { deadline: new Date(Date.now() + milliseconds), signal };
    return await commands[command](context, args, call);
  };
  return {
    ...context,
    dataDirectory,
    at,
    run,
    put: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    text: (path) => readFileSync(at(path), 'utf8'),
    /** The paths that a query finds, in order of path. */
    find: async (query, args) => (await run('Search', { query, ...args })).data.hits.map(({ path }) => path).toSorted(),
  };
}
