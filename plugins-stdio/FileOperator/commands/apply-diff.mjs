import { structuredPatch } from 'diff';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { applyEdits } from '../apply-edits.mjs';
import { applyHunks } from '../apply-hunks.mjs';
import { entryOf, makeParents, refuseReadOnly } from '../entry.mjs';
import { fault, placeName } from '../faults.mjs';
import { DIFF_CHARACTERS, DIFF_MS } from '../limits.mjs';
import { parseDiff } from '../parse-diff.mjs';
import { oldSide, placeHunks } from '../place-hunks.mjs';
import { sha256 } from '../../lib/read-bytes.mjs';
import { decode, firstUnencodable } from '../../lib/text-encodings.mjs';
import { endsWithLineEnd, lineTexts, parseText } from '../text-file.mjs';
import { changeFile, checkExpected, guessed, notEncodable, put, readPrevious } from '../change-file.mjs';

/** Changes parts of a text file by a unified diff or by exact replacements: all of them, or none. */
export async function applyDiff({ roots, locks, fallback }, args, call) {
  const { diff, edits, dryRun = false, encoding } = args;
  if ((diff === undefined) === (edits === undefined)) {
    throw new PluginError(
      diff === undefined ? 'MISSING_ARGUMENT' : 'INVALID_ARGUMENT',
      'Give either "diff" (a unified diff) or "edits" (exact replacements), and not both.',
      {
        target: 'diff',
      },
    );
  }
  const entry = entryOf(roots, args);
  refuseReadOnly(entry);
  const hunks = diff === undefined ? null : hunksOf(entry, diff);
  if (addsOnly(hunks) && !dryRun) await makeParents(entry);
  return await changeFile(locks, entry, call, async (found, previous) => {
    const isCreation = previous === null && addsOnly(hunks);
    if (previous === null && !isCreation)
      throw fault('FILES.NOT_FOUND', entry, 'it does not exist. List shows what there is.');
    const before = previous === null ? null : await readPrevious(entry, found);
    checkExpected(entry, args.expectedSha256, before?.bytes ?? null);
    const text = parseText(before?.bytes ?? Buffer.alloc(0), { encoding, fallback });
    if (text === null) throw fault('FILES.BINARY', entry, 'it is no text, so its text cannot be changed.');
    const outcome =
      hunks === null
        ? await editsApplied(entry, text, edits, call.signal)
        : await hunksApplied(entry, text, hunks, call.signal);
    const isSame = before !== null && outcome.bytes.equals(before.bytes);
    if (!dryRun && !isSame) await put(entry, found, before, outcome.bytes);
    return answer(entry, { text, before, outcome, dryRun, isSame, isCreation });
  });
}

/** Such a diff may make the file. */
function addsOnly(hunks) {
  return hunks !== null && hunks.every((hunk) => oldSide(hunk).length === 0);
}

function hunksOf(entry, diff) {
  const parsed = parseDiff(diff);
  if (parsed.fault)
    throw fault('FILES.DIFF_INVALID', entry, `the diff cannot be read: ${parsed.fault}.`, { target: 'diff' });
  return parsed.hunks;
}

async function hunksApplied(entry, text, hunks, signal) {
  const added = hunks.flatMap(({ lines }) => lines.filter(({ sign }) => sign === '+').map((line) => line.text));
  refuseUnencodable(entry, text, added.join('\n'));
  const { places, rejected } = await placeHunks(lineTexts(text), hunks, endsWithLineEnd(text), signal);
  if (rejected)
    throw fault('FILES.DIFF_REJECTED', entry, `${rejection(rejected)} Nothing was changed.`, {
      target: 'diff',
      details: rejected,
    });
  return {
    bytes: applyHunks(text, places),
    applied: places.map(({ at, fuzz, isMoved }) => ({ line: at + 1, fuzz, isMoved })),
  };
}

async function editsApplied(entry, text, edits, signal) {
  for (const { replace } of edits) refuseUnencodable(entry, text, replace);
  const { bytes, replacements, rejected } = await applyEdits(text, edits, signal);
  if (rejected)
    throw fault('FILES.EDIT_REJECTED', entry, `${editRejection(rejected)} Nothing was changed.`, {
      target: 'edits',
      details: rejected,
    });
  return { bytes, applied: replacements.flatMap((lines) => lines.map((line) => ({ line, fuzz: 0, isMoved: false }))) };
}

function refuseUnencodable(entry, { encoding }, text) {
  const missing = firstUnencodable(text, encoding);
  if (missing !== null) throw notEncodable(entry, encoding, missing);
}

function rejection({ hunk, reason, line, expected, found, lines, places, totalLines }) {
  if (reason === 'ambiguous') {
    return `hunk ${hunk} fits in ${places} places (lines ${lines.join(', ')}). Give more context lines, or the right line numbers.`;
  }
  if (reason === 'no-context')
    return `hunk ${hunk} has no context line, and its line number is not in this file of ${totalLines} lines.`;
  const there = found === null ? 'the file ends before' : `there is ${shown(found)}`;
  return `hunk ${hunk} fits nowhere: at line ${line} it expects ${shown(expected)} and ${there}. Read the file again and make the diff from what it holds.`;
}

function editRejection({ edit, reason, found, expected, lines, line }) {
  if (reason === 'inexact')
    return `edit ${edit} touches line ${line}, which holds bytes that are no characters of its encoding.`;
  if (found === 0)
    return `edit ${edit}: its "search" text does not occur. It has to be exactly as in the file, spaces included.`;
  return `edit ${edit}: its "search" text occurs ${found} times (lines ${lines.join(', ')}), not ${expected}. Make it longer, or give "expectedCount": ${found}.`;
}

function shown(line) {
  return `"${line.length > 80 ? `${line.slice(0, 80)}…` : line}"`;
}

function answer(entry, { text, before, outcome, dryRun, isSame, isCreation }) {
  const { encoding, bomLength, lineEnding } = parseText(outcome.bytes, { encoding: text.encoding });
  const change = describeChange(entry, text, outcome.bytes);
  const operation = isSame ? 'unchanged' : isCreation ? 'created' : 'changed';
  const warnings = text.isCertain || encoding === 'utf-8' ? [] : [guessed(encoding)];
  const moved = outcome.applied.filter(({ fuzz, isMoved }) => fuzz > 0 || isMoved).length;
  if (moved > 0) {
    warnings.push({
      code: 'FILES.DIFF_MOVED',
      message: `${moved} of ${outcome.applied.length} hunks did not fit where they said and were applied at the one place where they fit.`,
      target: 'data.applied',
    });
  }
  if (change.diff === null || change.isCut) {
    warnings.push({
      code: 'OUTPUT_TRUNCATED',
      message:
        change.diff === null
          ? 'The change is too large to be shown as a diff.'
          : `The diff is cut after ${DIFF_CHARACTERS} characters.`,
      target: 'data.diff',
    });
  }
  return {
    data: {
      operation,
      dryRun,
      root: entry.root,
      path: entry.path,
      applied: outcome.applied,
      addedLines: change.added,
      removedLines: change.removed,
      sizeBytes: outcome.bytes.length,
      sha256: sha256(outcome.bytes),
      previousSha256: before === null ? null : sha256(before.bytes),
      encoding,
      bom: bomLength > 0,
      lineEnding,
      diff: change.diff,
    },
    warnings,
    presentation: { summary: summaryOf(entry, { operation, dryRun, ...change }), preferredView: 'diff' },
  };
}

function summaryOf(entry, { operation, dryRun, added, removed }) {
  const counts = added === null ? '' : `, ${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed`;
  return `${placeName(entry)} ${dryRun ? 'would be ' : ''}${operation}${counts}`;
}

/** The change as a diff of its own, line ends aside; null where comparing would take too long. */
function describeChange({ path }, text, bytes) {
  const [old, next] = [text.bytes, bytes].map((side) =>
    lineFeedsOnly(decode(side.subarray(text.bomLength), text.encoding)),
  );
  const patch = structuredPatch(path, path, old, next, undefined, undefined, { context: 3, timeout: DIFF_MS });
  if (patch === undefined) return { diff: null, isCut: false, added: null, removed: null };
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  const count = (sign) => patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith(sign)).length;
  const diff = lines.join('\n').toWellFormed();
  const isCut = diff.length > DIFF_CHARACTERS;
  return {
    diff: isCut ? diff.slice(0, DIFF_CHARACTERS).toWellFormed() : diff,
    isCut,
    added: count('+'),
    removed: count('-'),
  };
}

function lineFeedsOnly(text) {
  return text.replaceAll(/\r\n/g, '\n');
}
