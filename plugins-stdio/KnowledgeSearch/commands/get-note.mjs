import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { sha256 } from '../../lib/read-bytes.mjs';
import { notFound, telling } from '../faults.mjs';
import { BODY_BYTES } from '../limits.mjs';
import { readFile } from '../notes-folder.mjs';
import { parseNote } from '../parse-note.mjs';

/** One note, whole or from a line on. */
export async function getNote({ root }, { path, startLine }) {
  const { bytes, stats, note } = await readNote(root, path);
  const { body, bodyLine } = note;
  const lines = body.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const lastLine = bodyLine + lines.length - 1;
  const first = Math.max(startLine ?? bodyLine, bodyLine);
  if (startLine !== undefined && startLine > Math.max(lastLine, bodyLine)) {
    throw new PluginError(
      'KNOWLEDGE.RANGE_OUTSIDE',
      `The note has ${lastLine} lines; line ${startLine} is not there.`,
      {
        target: 'startLine',
        details: { totalLines: lastLine },
      },
    );
  }
  const { text, nextLine } = within(lines, first - bodyLine, bodyLine);
  const warnings = note.frontMatterFault === null ? [] : [faultyFrontMatter(note.frontMatterFault)];
  if (nextLine !== null) {
    warnings.push({
      code: 'OUTPUT_TRUNCATED',
      message: `The text is given up to line ${nextLine - 1} of ${lastLine}. Go on with "startLine": ${nextLine}.`,
      target: 'data.note.body',
      details: { totalLines: lastLine, nextLine },
    });
  }
  return {
    data: {
      note: {
        path: note.path,
        title: note.title,
        tags: note.tags,
        createdAt: note.createdAt,
        updatedAt: new Date(Number(stats.mtimeMs)).toISOString(),
        sha256: sha256(bytes),
        sizeBytes: bytes.length,
        frontMatter: note.frontMatter,
        body: text,
        startLine: first,
        nextLine,
      },
    },
    warnings,
    presentation: { summary: note.title, preferredView: 'note' },
  };
}

/** The note at a path as it is now; a fault when there is none. */
export async function readNote(root, path) {
  const found = await telling(() => readFile(root, path));
  if (found === null) throw notFound(path);
  const plainPath = path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
  const note = parseNote(plainPath, found.bytes);
  if (note === null) throw notFound(path);
  return { ...found, note };
}

/** Lines from an index on, as many as fit an answer; of a single line that does not fit, its beginning. */
function within(lines, from, bodyLine) {
  let size = 0;
  let end = from;
  while (end < lines.length) {
    size += Buffer.byteLength(lines[end]);
    if (size > BODY_BYTES && end > from) break;
    end += 1;
    if (size > BODY_BYTES) break;
  }
  const text = lines.slice(from, end).join('');
  const isCut = Buffer.byteLength(text) > BODY_BYTES;
  return {
    text: isCut ? new TextDecoder().decode(Buffer.from(text).subarray(0, BODY_BYTES)).replace(/\ufffd+$/, '') : text,
    nextLine: end < lines.length || isCut ? bodyLine + end : null,
  };
}

function faultyFrontMatter(fault) {
  return {
    code: 'KNOWLEDGE.FRONT_MATTER_FAULTY',
    message: `The block between the --- lines is no YAML that can be used: ${fault}.`,
    target: 'data.note.frontMatter',
  };
}
