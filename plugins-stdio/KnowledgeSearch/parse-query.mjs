import { QUERY_TERMS } from './limits.mjs';
import { segmentsOfRun, tokenize } from './tokenize.mjs';

const PART = /(-?)(?:["“”„«「『]([^"“”»」』]*)["“”»」』]?|([^\s"“”„«「『]+))/gu;

/**
 * Reads what a person or a model types: words, "phrases", `-exclusions` and `beginnings*`. Nothing in it can be a syntax
 * error. Returns `{ wanted, excluded, isTooLong }`, lists of alternatives; each alternative is a list of phrases that all
 * have to occur, and a phrase is `{ terms, isPrefix }`: terms in sequence, the last perhaps only a beginning.
 */
export function parseQuery(query) {
  const wanted = [];
  const excluded = [];
  for (const [, sign, quoted, bare] of query.matchAll(PART)) {
    const alternatives = quoted === undefined ? alternativesOf(bare) : phraseAlternatives(quoted, false);
    if (alternatives.length > 0) (sign === '-' ? excluded : wanted).push(alternatives);
  }
  return { wanted, excluded, isTooLong: wanted.length + excluded.length > QUERY_TERMS };
}

/** The query as FTS5 reads it. Every term is quoted, so a user's text is never an operator. */
export function toMatchExpression({ wanted, excluded }, { matchAll }) {
  const either = (alternatives) =>
    `(${alternatives.map((phrases) => `(${phrases.map(quote).join(' AND ')})`).join(' OR ')})`;
  const positive = wanted.map(either).join(matchAll ? ' AND ' : ' OR ');
  return excluded.length === 0 ? positive : `(${positive}) NOT (${excluded.map(either).join(' OR ')})`;
}

function quote({ terms, isPrefix }) {
  return `"${terms.join(' ').replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`;
}

function phraseAlternatives(text, isBeginning) {
  const phrase = phraseOf(text, isBeginning);
  return phrase === null ? [] : [[phrase]];
}

/**
 * A bare word is a phrase of its terms. Where it holds several words of a script without spaces, a note that has them all,
 * though not side by side, fits too.
 */
function alternativesOf(bare) {
  const isBeginning = bare.endsWith('*');
  const whole = phraseAlternatives(bare, isBeginning);
  if (whole.length === 0) return [];
  const words = wordsOf(bare);
  const several = words.filter((word) => Array.from(word).length > 1);
  const parts = several.length > 0 ? several : words;
  if (words.length < 2) return whole;
  return [...whole, parts.map((part) => phraseOf(part, false)).filter((phrase) => phrase !== null)];
}

function wordsOf(bare) {
  const words = [];
  for (const run of bare.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    for (const { isUnspaced, clusters } of segmentsOfRun(run[0], 0)) {
      const text = clusters.map((cluster) => cluster.text).join('');
      if (!isUnspaced) words.push(text);
      else {
        for (const { segment } of new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)) words.push(segment);
      }
    }
  }
  return words;
}

/** A pair at the end says all that the single character after it says; a single character is the beginning of a pair. */
function phraseOf(text, isBeginning) {
  const tokens = [...tokenize(text)];
  const last = tokens.at(-1);
  if (last === undefined) return null;
  const followsPair = last.isSingle && tokens.at(-2)?.end === last.end;
  if (followsPair) tokens.pop();
  return { terms: tokens.map(({ term }) => term), isPrefix: (last.isSingle && !followsPair) || isBeginning };
}
