import { constants } from 'node:fs';
import { RE2JS } from 're2js';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { workUntil } from '../../lib/call-time.mjs';
import { isUtf8 } from '../../lib/detect-encoding.mjs';
import { atEntry, entryOf, inFolder } from '../entry.mjs';
import { fault } from '../faults.mjs';
import { compileGlob } from '../glob-pattern.mjs';
import { LINE_CHARACTERS, SEARCH_FILE_BYTES, TEXT_LINES, WALK_DEPTH, WALKED_ENTRIES } from '../limits.mjs';
import { lineTexts, parseText } from '../text-file.mjs';
import { TooManyLines } from '../text-lines.mjs';
import { walk } from '../../lib/walk.mjs';
import { below, unreadableWarning } from './list.mjs';

/** How many lines are looked at between two looks at the clock. */
const LINES_BETWEEN_CLOCKS = 512;

/** Finds lines in the text files of a folder, or in one file. */
export async function search({ roots, fallback }, args, call) {
  const { glob, hidden = false, contextLines = 0, maxResults = 100 } = args;
  const entry = entryOf(roots, args, { isOptional: true });
  const matches = glob === undefined ? () => true : compileGlob(glob, 'glob');
  const find = compileQuery(args);
  const progress = {
    found: [],
    files: 0,
    filesMatched: 0,
    matchedLines: 0,
    binary: 0,
    tooLarge: 0,
    unreadable: [],
    stopped: null,
    until: workUntil(call),
  };
  const options = { find, contextLines, maxResults, fallback, signal: call.signal };

  const isFolder = await atEntry(entry, async ({ folder, name, stats }) => {
    if (name === null || stats?.isDirectory()) return true;
    if (stats === null) throw fault('FILES.NOT_FOUND', entry, 'it does not exist. List shows what there is.');
    if (!stats.isFile()) throw fault('FILES.NOT_A_FILE', entry, 'it is neither a file nor a folder.');
    await searchFile({ folder, name, path: entry.path }, options, progress);
    return false;
  });
  if (isFolder) {
    await inFolder(entry, async (folder) => {
      const walking = {
        depth: WALK_DEPTH,
        isWanted: ({ name }) => hidden || !name.startsWith('.'),
        onUnreadable: (path) => progress.unreadable.push(path),
      };
      let walked = 0;
      for await (const item of walk(folder, walking)) {
        walked += 1;
        if (walked > WALKED_ENTRIES) progress.stopped = `after ${WALKED_ENTRIES} entries`;
        if (progress.stopped !== null) break;
        if (item.kind !== 'file' || !matches(item.path)) continue;
        await searchFile({ ...item, path: below(entry, item.path) }, options, progress);
      }
    });
  }
  return answer(entry, args, progress);
}

async function searchFile({ folder, name, path }, { find, contextLines, maxResults, fallback, signal }, progress) {
  signal.throwIfAborted();
  if (Date.now() > progress.until) {
    progress.stopped = 'when its time was used up';
    return;
  }
  const bytes = await readSearchable(folder, name, path, progress);
  if (bytes === null) return;
  progress.files += 1;
  if (find.bytes !== null && !bytes.includes(find.bytes) && parseAsUtf8(bytes)) return;
  const text = parsedOrTooLarge(bytes, fallback);
  if (text === 'too-large') {
    progress.files -= 1;
    progress.tooLarge += 1;
    return;
  }
  if (text === null) {
    progress.files -= 1;
    progress.binary += 1;
    return;
  }
  const lines = lineTexts(text);
  let isFirst = true;
  for (const [index, line] of lines.entries()) {
    if (index % LINES_BETWEEN_CLOCKS === 0 && Date.now() > progress.until) {
      progress.stopped = `in ${path} when its time was used up`;
      return;
    }
    const at = find.in(line);
    if (at === -1) continue;
    progress.matchedLines += 1;
    if (isFirst) progress.filesMatched += 1;
    isFirst = false;
    if (progress.found.length < maxResults) {
      progress.found.push({
        path,
        line: index + 1,
        column: Array.from(line.slice(0, at)).length + 1,
        text: excerpt(line, at),
        ...(contextLines > 0 && {
          before: lines.slice(Math.max(0, index - contextLines), index).map((near) => excerpt(near, 0)),
          after: lines.slice(index + 1, index + 1 + contextLines).map((near) => excerpt(near, 0)),
        }),
      });
    }
  }
}

function parsedOrTooLarge(bytes, fallback) {
  try {
    return parseText(bytes, { fallback });
  } catch (error) {
    if (error instanceof TooManyLines) return 'too-large';
    throw error;
  }
}

/** Null, and counted, for a file that cannot be searched. */
async function readSearchable(folder, name, path, progress) {
  try {
    const { handle, stats } = await folder.openFile(name, constants.O_RDONLY);
    try {
      if (stats.size > BigInt(SEARCH_FILE_BYTES)) {
        progress.tooLarge += 1;
        return null;
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch {
    progress.unreadable.push(path);
    return null;
  }
}

/** Whether bytes without the query cannot hold it in another form: then the file need not be decoded. */
function parseAsUtf8(bytes) {
  return !bytes.subarray(0, 4096).includes(0) && bytes[0] !== 0xfe && bytes[0] !== 0xff && isUtf8(bytes);
}

/** `in(line)` gives the UTF-16 index of the first hit or -1; `bytes` is what a UTF-8 file has to hold to have a hit. */
function compileQuery({ query, regex = false, caseSensitive = true }) {
  if (!regex && caseSensitive) return { in: (line) => line.indexOf(query), bytes: Buffer.from(query, 'utf8') };
  let pattern;
  try {
    pattern = RE2JS.compile(regex ? query : RE2JS.quote(query), caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new PluginError(
      'FILES.PATTERN_INVALID',
      `"query" is no regular expression of the RE2 syntax: ${error.message}. Look-around and back references do not exist there; leave "regex" out to search for the text itself.`,
      { target: 'query' },
    );
  }
  return {
    in: (line) => {
      const matcher = pattern.matcher(line);
      return matcher.find() ? matcher.start() : -1;
    },
    bytes: null,
  };
}

/** A line, or of a long one the part around the hit. */
function excerpt(line, at) {
  if (line.length <= LINE_CHARACTERS) return line;
  const start = Math.max(0, Math.min(at - LINE_CHARACTERS / 4, line.length - LINE_CHARACTERS));
  const part = line.slice(start, start + LINE_CHARACTERS).toWellFormed();
  return `${start > 0 ? '…' : ''}${part}${start + LINE_CHARACTERS < line.length ? '…' : ''}`;
}

function answer(entry, { maxResults = 100 }, progress) {
  const { found, files, filesMatched, matchedLines, binary, tooLarge, unreadable, stopped } = progress;
  const warnings = [];
  if (stopped !== null) {
    warnings.push({
      code: 'FILES.SEARCH_INCOMPLETE',
      message: `The search stopped ${stopped}; what came after was not searched. Give a folder further down as "path", or a "glob".`,
      target: 'data.matches',
    });
  }
  if (matchedLines > found.length) {
    warnings.push({
      code: 'OUTPUT_TRUNCATED',
      message: `The first ${found.length} of ${matchedLines} lines are given. Give a longer query, a "glob", or a larger "maxResults".`,
      target: 'data.matches',
      details: { originalCount: matchedLines, returnedCount: found.length, maxResults },
    });
  }
  if (tooLarge > 0) {
    warnings.push({
      code: 'FILES.SKIPPED',
      message: `${tooLarge} files of more than ${SEARCH_FILE_BYTES} bytes or ${TEXT_LINES} lines were not searched.`,
      target: 'data.skipped',
      details: { count: tooLarge },
    });
  }
  if (unreadable.length > 0) warnings.push(unreadableWarning(unreadable));
  return {
    status: stopped === null ? 'success' : 'partial',
    data: {
      root: entry.root,
      path: entry.path,
      matches: found,
      matchedLines,
      matchedFiles: filesMatched,
      searchedFiles: files,
      skipped: { binary, tooLarge, unreadable: unreadable.length },
    },
    warnings,
    presentation: {
      summary: `${matchedLines} ${matchedLines === 1 ? 'line' : 'lines'} in ${filesMatched} of ${files} files`,
      preferredView: 'search-hits',
    },
  };
}
