import { setImmediate } from 'node:timers/promises';

/** Context lines that may be dropped at the ends of a hunk that fits nowhere as it is. */
const FUZZ_LIMIT = 2;
const SHOWN_PLACES = 10;
/** Lines compared between two looks at whether the call was cancelled. */
const LINES_BETWEEN_PAUSES = 100_000;

/**
 * Finds the one place of every hunk in the lines of a file: `{ places }`, `{ at, fuzz, isMoved, lines, … }` each with `at`
 * from 0, or `{ rejected }`, which says of the first hunk that has no place, or more than one, what was looked for and what there
 * is. A hunk that fits where it says is taken there. Elsewhere, or with less context, it has to fit in one place alone.
 */
export async function placeHunks(texts, hunks, isEnded, signal) {
  const work = { compared: 0, signal };
  const starts = await startingPlaces(texts, hunks, work);
  const places = [];
  let from = 0;
  let offset = 0;
  for (const [index, hunk] of hunks.entries()) {
    const found = await placeOf(texts, hunk, { from, offset, isEnded, starts, work });
    if (found.rejected) return { rejected: { hunk: index + 1, ...found.rejected } };
    places.push(found.place);
    from = found.place.at + oldSide(found.place).length;
    if (hunk.line !== null) offset = found.place.at - found.place.dropped - startOf(hunk);
  }
  return { places };
}

async function placeOf(texts, hunk, { from, offset, isEnded, starts, work }) {
  if (oldSide(hunk).length === 0) return placeOfInsertion(texts, hunk, from);
  for (let fuzz = 0; fuzz <= FUZZ_LIMIT; fuzz += 1) {
    const trimmed = trimmedBy(hunk, fuzz);
    if (trimmed === null) break;
    const said = hunk.line === null ? null : startOf(hunk) + offset + trimmed.dropped;
    const fits = await fitting(texts, trimmed, { from, isEnded, starts, work });
    const at = fuzz === 0 && said !== null && fits.includes(said) ? said : fits.length === 1 ? fits[0] : null;
    if (at !== null) return { place: { ...trimmed, at, fuzz, isMoved: said !== null && at !== said } };
    if (fits.length > 1) {
      return {
        rejected: {
          reason: 'ambiguous',
          lines: fits.slice(0, SHOWN_PLACES).map((place) => place + 1),
          places: fits.length,
        },
      };
    }
  }
  return { rejected: { reason: 'not-found', ...nearestMiss(texts, hunk, startOf(hunk) + offset, from) } };
}

/** A hunk of nothing but new lines, without context: only the line it names says where. */
function placeOfInsertion(texts, hunk, from) {
  const at = texts.length === 0 ? 0 : hunk.line;
  if (at === null || at < from || at > texts.length) {
    return { rejected: { reason: 'no-context', totalLines: texts.length } };
  }
  return { place: { ...trimmedBy(hunk, 0), at, fuzz: 0, isMoved: false } };
}

/** Line numbers begin at 1; a hunk without old lines names the line before it. */
function startOf({ line }) {
  return line === null ? 0 : Math.max(0, line - 1);
}

/** The hunk without `fuzz` lines of context at its ends; null when it has not that many. */
function trimmedBy(hunk, fuzz) {
  const leading = Math.min(fuzz, leadingContext(hunk.lines));
  const trailing = Math.min(fuzz, leadingContext(hunk.lines.toReversed()));
  if (fuzz > 0 && leading < fuzz && trailing < fuzz) return null;
  const trimmed = {
    lines: hunk.lines.slice(leading, hunk.lines.length - trailing),
    dropped: leading,
    oldUnended: trailing === 0 && hunk.oldUnended,
    newUnended: trailing === 0 && hunk.newUnended,
  };
  return fuzz > 0 && oldSide(trimmed).length === 0 ? null : trimmed;
}

/** The texts that the file has to hold. */
export function oldSide({ lines }) {
  return lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

function leadingContext(lines) {
  const first = lines.findIndex(({ sign }) => sign !== ' ');
  return first === -1 ? lines.length : first;
}

/** Where the lines occur that a hunk may begin with, so that not every hunk goes through the whole file. */
async function startingPlaces(texts, hunks, work) {
  const starts = new Map();
  for (const hunk of hunks) {
    for (let fuzz = 0; fuzz <= FUZZ_LIMIT; fuzz += 1) {
      const first = oldSide(trimmedBy(hunk, fuzz) ?? hunk)[0];
      if (first !== undefined) starts.set(first, []);
    }
  }
  for (const [index, text] of texts.entries()) {
    starts.get(text)?.push(index);
    const pause = worked(work, 1);
    if (pause) await pause;
  }
  return starts;
}

/** A long comparison lets others have their turn, and ends when the call is cancelled. */
function worked(work, lines) {
  work.compared += lines;
  if (work.compared < LINES_BETWEEN_PAUSES) return undefined;
  work.compared = 0;
  return setImmediate().then(() => work.signal.throwIfAborted());
}

async function fitting(texts, hunk, { from, isEnded, starts, work }) {
  const old = oldSide(hunk);
  const found = [];
  for (const at of starts.get(old[0]) ?? []) {
    if (at < from || at + old.length > texts.length) continue;
    const differing = old.findIndex((text, index) => texts[at + index] !== text);
    const pause = worked(work, differing === -1 ? old.length : differing + 1);
    if (pause) await pause;
    if (differing !== -1) continue;
    const isUnendedThere = at + old.length === texts.length && !isEnded;
    if (!hunk.oldUnended || isUnendedThere) found.push(at);
  }
  return found;
}

/** Where the hunk says it belongs: the first line that differs, so that its writer can see what is wrong. */
function nearestMiss(texts, hunk, start, from) {
  const old = oldSide(hunk);
  const at = Math.min(Math.max(start, from), Math.max(0, texts.length - 1));
  const differing = Math.max(
    0,
    old.findIndex((text, index) => texts[at + index] !== text),
  );
  return { line: at + differing + 1, expected: old[differing], found: texts[at + differing] ?? null };
}
