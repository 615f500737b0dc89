import { entryOf, makeParents, refuseReadOnly } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { sha256 } from '../../lib/read-bytes.mjs';
import { changeFile, checkExpected, guessed, notEncodable, put, readPrevious } from '../change-file.mjs';
import { parseText, renderText } from '../text-file.mjs';

const BYTE_ORDER_MARK = '\ufeff';

/** Makes a file, or replaces the whole of its content. */
export async function write({ roots, locks, fallback }, args, call) {
  const { mode = 'overwrite', createParents = true } = args;
  const entry = entryOf(roots, args);
  refuseReadOnly(entry);
  const madeFolders = createParents ? await makeParents(entry) : 0;
  return await changeFile(locks, entry, call, async (found, previous) => {
    if (previous !== null && mode === 'createOnly') {
      throw fault('FILES.EXISTS', entry, 'it exists already and was left as it is. Leave "mode" out to replace it.', {
        target: 'mode',
      });
    }
    const before = previous === null ? null : await readPrevious(entry, found);
    checkExpected(entry, args.expectedSha256, before?.bytes ?? null);
    const old = before === null ? null : parseText(before.bytes, { fallback });
    const next = render(entry, args, old);
    const isSame = before !== null && before.bytes.equals(next.bytes);
    if (!isSame) await put(entry, found, before, next.bytes);
    const { encoding, bomLength, lineEnding } = parseText(next.bytes, { encoding: next.encoding });
    const operation = isSame ? 'unchanged' : before === null ? 'created' : 'overwritten';
    return {
      data: {
        operation,
        root: entry.root,
        path: entry.path,
        sizeBytes: next.bytes.length,
        sha256: sha256(next.bytes),
        previousSha256: before === null ? null : sha256(before.bytes),
        encoding,
        bom: bomLength > 0,
        lineEnding,
        createdFolders: madeFolders,
      },
      warnings: old !== null && !old.isCertain && args.encoding === undefined ? [guessed(old.encoding)] : [],
      presentation: {
        summary: `${placeName(entry)} ${operation}, ${next.bytes.length} bytes`,
        preferredView: 'file-change',
      },
    };
  });
}

/** What the new content is in: as told, else as it was before, else UTF-8. */
function render(entry, { content, encoding, bom, lineEndings = 'keep' }, old) {
  const hasMark = content.startsWith(BYTE_ORDER_MARK);
  const chosen = encoding ?? old?.encoding ?? 'utf-8';
  const rendered = renderText(hasMark ? content.slice(1) : content, {
    encoding: chosen,
    bom: bom ?? (hasMark || (old !== null && old.bomLength > 0 && old.encoding === chosen)),
    lineEnding: lineEndings === 'keep' ? (old?.lineEnding ?? 'asGiven') : lineEndings,
  });
  if (rendered.missing !== undefined) throw notEncodable(entry, chosen, rendered.missing);
  return { bytes: rendered.bytes, encoding: chosen };
}
