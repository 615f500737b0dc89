import { constants } from 'node:fs';
import { entryOf, makeParents, refuseReadOnly } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { readRange } from '../../lib/read-bytes.mjs';
import { detectEncoding } from '../../lib/detect-encoding.mjs';
import { parseText, renderText, endsWithLineEnd } from '../text-file.mjs';
import { LINE_ENDINGS } from '../text-lines.mjs';
import { unitOf } from '../../lib/text-encodings.mjs';
import { changeFile, guessed, notEncodable, put } from '../change-file.mjs';

/** Bytes at the beginning that tell encoding and line ends. */
const HEAD_BYTES = 1024 * 1024;
/** Bytes at the end that tell the encoding where the beginning has nothing but ASCII. */
const END_BYTES = 256 * 1024;
/** Bytes at the end that tell whether the last line has an end. */
const TAIL_BYTES = 64;
const LF = 0x0a;

/**
 * Adds text at the end of a file, in place: whoever follows the file goes on seeing it. When the disk fills up the file
 * is cut back to what it was.
 */
export async function append({ roots, locks, fallback }, args, call) {
  const { createParents = true } = args;
  const entry = entryOf(roots, args);
  refuseReadOnly(entry);
  const madeFolders = createParents ? await makeParents(entry) : 0;
  return await changeFile(locks, entry, call, async (found, previous) => {
    const isNew = previous === null;
    const outcome = isNew ? await create(entry, found, args) : await extend(entry, found, args, fallback);
    return {
      data: {
        operation: isNew ? 'created' : 'appended',
        root: entry.root,
        path: entry.path,
        appendedBytes: outcome.added,
        byteStart: outcome.start,
        sizeBytes: outcome.start + outcome.added,
        encoding: outcome.encoding,
        lineEnding: outcome.lineEnding,
        addedLineEndBefore: outcome.addedLineEndBefore,
        createdFolders: madeFolders,
      },
      warnings: outcome.isCertain ? [] : [guessed(outcome.encoding)],
      presentation: {
        summary: `${outcome.added} bytes appended to ${placeName(entry)}`,
        preferredView: 'file-change',
      },
    };
  });
}

async function create(entry, found, args) {
  const encoding = args.encoding ?? 'utf-8';
  const { bytes } = prepared(entry, args, { encoding, lineEnding: 'none', isOpen: false });
  await put(entry, found, null, bytes);
  return {
    start: 0,
    added: bytes.length,
    encoding,
    lineEnding: endingOf(bytes, encoding),
    isCertain: true,
    addedLineEndBefore: false,
  };
}

function endingOf(bytes, encoding) {
  return parseText(bytes, { encoding }).lineEnding;
}

async function extend(entry, { folder, name }, args, fallback) {
  const { handle, stats } = await folder.openFile(name, constants.O_RDWR | constants.O_APPEND);
  try {
    const size = Number(stats.size);
    const state = await readState(entry, handle, size, args.encoding, fallback);
    const { bytes, addedLineEndBefore } = prepared(entry, args, state);
    try {
      await handle.appendFile(bytes);
      await handle.sync();
    } catch (error) {
      await handle.truncate(size);
      throw error;
    }
    const { encoding, isCertain } = state;
    const lineEnding = state.lineEnding === 'none' ? endingOf(bytes, encoding) : state.lineEnding;
    return { start: size, added: bytes.length, encoding, lineEnding, isCertain, addedLineEndBefore };
  } finally {
    await handle.close();
  }
}

/** How the file is written, by its beginning and its end; the middle of a large one is not read. */
async function readState(entry, handle, size, encoding, fallback) {
  const head = await readRange(handle, 0, HEAD_BYTES);
  const lastLine = head.lastIndexOf(LF);
  const sample = head.length === size || lastLine === -1 || head.includes(0) ? head : head.subarray(0, lastLine + 1);
  const beginning = parseText(sample, { encoding, fallback });
  const text = await completed(handle, size, { sample, text: beginning, encoding, fallback });
  if (text === null) throw fault('FILES.BINARY', entry, 'it is no text, so no text can be appended.');
  const unit = unitOf(text.encoding);
  const tailStart = Math.max(text.bomLength, size - (size % unit) - TAIL_BYTES);
  const tail = parseText(await readRange(handle, tailStart, size - tailStart), { encoding: text.encoding });
  return { ...text, isOpen: tail.bytes.length > 0 && !endsWithLineEnd(tail) };
}

/**
 * What a part of the file tells is certain only with a byte order mark, or when the caller said so. Where that part is plain
 * ASCII, which fits nearly every encoding, the end of the file decides.
 */
async function completed(handle, size, { sample, text, encoding, fallback }) {
  if (text === null || encoding !== undefined || sample.length === size || text.bomLength > 0) return text;
  if (text.encoding !== 'utf-8' || sample.some((byte) => byte > 0x7f)) return { ...text, isCertain: false };
  const from = Math.max(sample.length, size - END_BYTES);
  const end = await readRange(handle, from, size - from);
  // From a line's beginning, so that no character is cut.
  const found = detectEncoding(from === sample.length ? end : end.subarray(end.indexOf(LF) + 1), { fallback });
  return found === null ? null : { ...text, encoding: found.encoding, isCertain: false };
}

/** The bytes to add: in the file's encoding, with its line ends, and on lines of their own unless told otherwise. */
function prepared(entry, { content, asLines = true }, { encoding, lineEnding, isOpen }) {
  const kind = lineEnding in LINE_ENDINGS ? lineEnding : 'lf';
  const addedLineEndBefore = asLines && isOpen;
  const isUnended = asLines && content !== '' && !/[\r\n]$/.test(content);
  const text = `${addedLineEndBefore ? LINE_ENDINGS[kind] : ''}${content}${isUnended ? LINE_ENDINGS[kind] : ''}`;
  const rendered = renderText(text, { encoding, bom: false, lineEnding });
  if (rendered.missing !== undefined) throw notEncodable(entry, encoding, rendered.missing);
  return { bytes: rendered.bytes, addedLineEndBefore };
}
