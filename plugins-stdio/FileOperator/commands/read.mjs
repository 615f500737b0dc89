import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { atEntry, entryOf } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { CONTENT_BYTES, READ_LINES, RESOURCE_BYTES, TEXT_FILE_BYTES } from '../limits.mjs';
import { readPieces, sha256 } from '../../lib/read-bytes.mjs';
import { readWhole } from '../read-whole.mjs';
import { decode, isExact } from '../../lib/text-encodings.mjs';
import { endsWithLineEnd, parseText } from '../text-file.mjs';
import { readWindow } from '../read-window.mjs';
import { factsOf, inexact } from '../text-facts.mjs';

/** A file's text, by lines or by bytes, or the whole file as a resource. */
export async function read({ roots, fallback }, args, call) {
  const entry = entryOf(roots, args);
  const { as = 'auto', encoding, byteStart, byteLength } = args;
  const isByBytes = byteStart !== undefined || byteLength !== undefined;
  if (isByBytes && (args.startLine !== undefined || args.endLine !== undefined)) {
    throw new PluginError(
      'INVALID_ARGUMENT',
      'Give either lines ("startLine", "endLine") or bytes ("byteStart", "byteLength"), not both.',
      {
        target: 'byteStart',
      },
    );
  }
  return await atEntry(entry, async (found) => {
    if (found.stats === null) throw fault('FILES.NOT_FOUND', entry, 'it does not exist. List shows what there is.');
    if (as === 'resource') return await asResource(entry, found, call);
    if (isByBytes) return await readWindow(entry, found, args, fallback);
    if (as === 'auto' && Number(found.stats.size) > TEXT_FILE_BYTES && encoding === undefined) {
      return await asResource(entry, found, call);
    }
    const advice = 'Read a part by "byteStart" and "byteLength".';
    const { bytes } = await readWhole(entry, found, TEXT_FILE_BYTES, advice);
    const text = parseText(bytes, { encoding, fallback });
    if (text !== null) return lines(entry, text, args);
    if (as === 'auto') return await asResource(entry, found, call);
    throw fault('FILES.BINARY', entry, 'it is no text. Leave "as" out, and it comes as a resource.', { target: 'as' });
  });
}

function lines(entry, text, { startLine = 1, endLine }) {
  const { bytes, encoding, lines: all } = text;
  const first = Math.min(startLine, all.length + 1);
  const wanted = Math.min(endLine ?? first + READ_LINES - 1, all.length);
  if (endLine !== undefined && endLine < startLine) {
    throw fault('INVALID_ARGUMENT', entry, '"endLine" is before "startLine".', { target: 'endLine' });
  }
  if (startLine > Math.max(all.length, 1)) {
    throw fault('FILES.RANGE_OUTSIDE', entry, `it has ${all.length} lines; line ${startLine} is not there.`, {
      target: 'startLine',
      details: { totalLines: all.length },
    });
  }
  const from = all.at(first - 1)?.start ?? text.bomLength;
  let last = first - 1;
  while (last < wanted && all.at(last).next - from <= CONTENT_BYTES) last += 1;
  if (last < first && wanted >= first) throw lineTooLong(entry, first, all.at(first - 1));
  const part = bytes.subarray(from, last < first ? from : all.at(last - 1).next);
  const content = decode(part, encoding);
  const nextLine = last < all.length ? last + 1 : null;
  const warnings = [];
  if (!isExact(part, content, encoding)) warnings.push(inexact(encoding));
  if (last < wanted || (endLine === undefined && nextLine !== null)) {
    warnings.push({
      code: 'OUTPUT_TRUNCATED',
      message: `Lines ${first} to ${last} of ${all.length} are given. Go on with "startLine": ${nextLine}.`,
      target: 'data.content',
      details: { totalLines: all.length, nextLine },
    });
  }
  return {
    data: {
      ...factsOf(entry, bytes.length, text),
      sha256: sha256(bytes),
      totalLines: all.length,
      endsWithLineEnd: endsWithLineEnd(text),
      startLine: first,
      endLine: Math.max(last, first - 1),
      nextLine,
      content,
    },
    warnings,
    presentation: {
      summary: `${placeName(entry)}, ${all.length === 0 ? 'empty' : `lines ${first} to ${last} of ${all.length}`}, ${encoding}`,
      preferredView: 'text-file',
    },
  };
}

function lineTooLong(entry, number, { start, end }) {
  return fault(
    'FILES.TOO_LARGE',
    entry,
    `line ${number} alone has ${end - start} bytes; an answer holds ${CONTENT_BYTES}. Read it in parts: "byteStart": ${start}.`,
    { target: 'startLine', details: { byteStart: start, lineBytes: end - start, limitBytes: CONTENT_BYTES } },
  );
}

/** Copies the file for the host, which stores it, finds out what it is and gives it an address. */
async function asResource(entry, { folder, name }, { resourceDir, signal }) {
  const { handle, stats } = await folder.openFile(name, constants.O_RDONLY);
  try {
    const size = Number(stats.size);
    if (size > RESOURCE_BYTES) {
      throw fault(
        'FILES.TOO_LARGE',
        entry,
        `it has ${size} bytes; a resource may have ${RESOURCE_BYTES}. Read a part by "byteStart" and "byteLength".`,
        {
          details: { sizeBytes: size, limitBytes: RESOURCE_BYTES },
        },
      );
    }
    const copy = await open(join(resourceDir, 'file'), 'wx');
    try {
      for await (const piece of readPieces(handle, { signal })) await copy.writeFile(piece);
    } finally {
      await copy.close();
    }
    return {
      data: { root: entry.root, path: entry.path, kind: 'binary', sizeBytes: size, resource: { $resource: 'file' } },
      resources: [{ id: 'file', role: 'output', localPath: 'file', fileName: name }],
      presentation: {
        summary: `${placeName(entry)}, ${size} bytes, as a resource`,
        preferredView: 'file-resource',
        primaryResourceId: 'file',
      },
    };
  } finally {
    await handle.close();
  }
}
