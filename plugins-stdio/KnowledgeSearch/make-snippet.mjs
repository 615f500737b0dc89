import { SNIPPET_LENGTH, SNIPPET_SEARCH_LENGTH } from './limits.mjs';
import { tokenize } from './tokenize.mjs';

/** How far from its ideal place a snippet may begin or end to spare a word. */
const SNAP_LENGTH = 24;

/**
 * The part of a text that shows most of a query: `{ text, line, highlights }`. Line ends and tabs are spaces in it, so
 * that places stay what they are. Highlights are `{ start, length }` in characters (Unicode code points) of `text`; `line`
 * counts from 1 in the note.
 */
export function makeSnippet(text, query, { firstLine = 1 } = {}) {
  const searched = text.slice(0, SNIPPET_SEARCH_LENGTH);
  const hits = findHits(searched, query);
  const from = snapped(searched, bestStart(hits), -1);
  const to = snapped(searched, Math.min(from + SNIPPET_LENGTH, searched.length), 1);
  const begin = from + /^\s*/.exec(searched.slice(from, to))[0].length;
  const part = searched.slice(begin, to).trimEnd();
  return {
    text: part.replaceAll(/\s/g, ' ').toWellFormed(),
    line: firstLine + countLines(searched, begin),
    highlights: inCharacters(part, begin, hits),
  };
}

/** The same highlights for a text that is shown whole. */
export function highlightsIn(text, query) {
  return inCharacters(text, 0, findHits(text, query));
}

/** Where phrases of the query occur: `{ start, end, phrase }` in order, `phrase` being its number. */
function findHits(text, { wanted }) {
  const phrases = wanted.flat(2);
  const tokens = [...tokenize(text)];
  const byTerm = Map.groupBy(phrases.keys(), (index) =>
    phrases[index].terms.length === 1 && phrases[index].isPrefix ? '' : phrases[index].terms[0],
  );
  const beginnings = byTerm.get('') ?? [];
  const hits = [];
  for (const index of tokens.keys()) {
    for (const number of [...beginnings, ...(byTerm.get(tokens[index].term) ?? [])]) {
      const end = endOfPhrase(tokens, index, phrases[number]);
      if (end !== null) hits.push({ start: tokens[index].start, end, phrase: number });
    }
  }
  return hits;
}

function endOfPhrase(tokens, index, { terms, isPrefix }) {
  for (const [step, term] of terms.entries()) {
    const token = tokens[index + step];
    if (token === undefined) return null;
    const isLast = step === terms.length - 1;
    if (isLast && isPrefix) {
      if (!token.term.startsWith(term)) return null;
      // Of a pair only its first character was asked for.
      return token.firstEnd !== undefined && token.term !== term ? token.firstEnd : token.end;
    }
    if (token.term !== term) return null;
  }
  return tokens[index + terms.length - 1].end;
}

/** Where a window begins that shows the most different phrases, and most of the first of them in its context. */
function bestStart(hits) {
  let best = { start: 0, score: 0 };
  for (const [index, hit] of hits.entries()) {
    const start = Math.max(0, hit.start - SNIPPET_LENGTH / 4);
    const seen = new Set();
    for (let next = index; next < hits.length && hits[next].end <= start + SNIPPET_LENGTH; next += 1)
      seen.add(hits[next].phrase);
    if (seen.size > best.score) best = { start, score: seen.size };
  }
  return best.start;
}

/** Moves a cut to a space nearby, outwards, and never into the middle of a character. */
function snapped(text, at, direction) {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  for (let moved = 0; moved <= SNAP_LENGTH; moved += 1) {
    const place = at + moved * direction;
    if (place <= 0) return 0;
    if (place >= text.length) return text.length;
    if (/\s/.test(text[place - 1]) !== /\s/.test(text[place])) return place;
  }
  const isInsidePair = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isInsidePair ? at + 1 : at;
}

function countLines(text, until) {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < until; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Overlapping hits are one highlight. */
function inCharacters(part, begin, hits) {
  const ranges = [];
  for (const { start, end } of hits.toSorted((a, b) => a.start - b.start)) {
    if (start < begin || end > begin + part.length) continue;
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end });
  }
  const characters = (from, to) => Array.from(part.slice(from - begin, to - begin)).length;
  return ranges.map(({ start, end }) => ({ start: characters(begin, start), length: characters(start, end) }));
}
