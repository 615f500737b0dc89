import { setImmediate } from 'node:timers/promises';
import { stemmer } from 'stemmer';
import { TERM_CHARACTERS, TERMS_BETWEEN_PAUSES } from './limits.mjs';

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const RUN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}ﾞﾟ]*/gu;
/** A character with the marks that belong to it. */
const CLUSTER = /[\p{L}\p{N}][\p{M}ﾞﾟ]*/gu;

/**
 * The index terms of a text, in order: `{ term, start, end }` with UTF-16 offsets. A word of a spaced script is one term,
 * folded (NFKC, lower case, without accents) and, when it is plain Latin, stemmed as English. A run of an unspaced script
 * gives the pairs of its neighbouring characters and its last character alone: so any piece of two characters and more is
 * found as a phrase, and a single character as the beginning of a term. `isSingle` marks that last character, `firstEnd`
 * is the end of a pair's first.
 */
export function* tokenize(text) {
  for (const run of text.matchAll(RUN)) yield* tokensOfRun(run[0], run.index);
}

/** The parts of a run that are of one kind, as `{ isUnspaced, clusters }`, each cluster `{ text, start, end }`. */
export function* segmentsOfRun(run, offset) {
  let segment = null;
  for (const match of run.matchAll(CLUSTER)) {
    const cluster = { text: match[0], start: offset + match.index, end: offset + match.index + match[0].length };
    const isUnspaced = UNSPACED.test(match[0]);
    if (segment !== null && segment.isUnspaced !== isUnspaced) {
      yield segment;
      segment = null;
    }
    segment ??= { isUnspaced, clusters: [] };
    segment.clusters.push(cluster);
  }
  if (segment !== null) yield segment;
}

function* tokensOfRun(run, offset) {
  for (const { isUnspaced, clusters } of segmentsOfRun(run, offset)) {
    if (isUnspaced) yield* pairs(clusters);
    else yield word(clusters);
  }
}

function* pairs(clusters) {
  for (const [index, { text, start, end }] of clusters.entries()) {
    const next = clusters[index + 1];
    if (next) yield { term: fold(text) + fold(next.text), start, end: next.end, firstEnd: end };
    else yield { term: fold(text), start, end, isSingle: true };
  }
}

function word(clusters) {
  const folded = fold(clusters.map(({ text }) => text).join(''));
  const isLatin = /^[a-z]+$/.test(folded);
  const term = (isLatin ? stemmer(folded) : folded).slice(0, TERM_CHARACTERS).toWellFormed();
  return { term, start: clusters[0].start, end: clusters.at(-1).end };
}

/** What differs only in case, width or accents is one term. */
export function fold(text) {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFKC');
}

/** The text that the index gets: its terms, separated by spaces. Of a long text others have their turn in between. */
export async function indexText(text, signal) {
  let joined = '';
  let made = 0;
  for (const { term } of tokenize(text)) {
    joined += `${term} `;
    made += 1;
    if (made % TERMS_BETWEEN_PAUSES !== 0) continue;
    await setImmediate();
    signal.throwIfAborted();
  }
  return joined;
}
