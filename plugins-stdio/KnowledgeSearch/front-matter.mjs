import { isScalar, parseDocument } from 'yaml';
import { FRONT_MATTER_BYTES } from './limits.mjs';

const NESTING_LIMIT = 16;
const TAG_CHARACTERS = 64;
const TAGS = 64;

/**
 * A note's text in its two parts: `{ yaml, body, bodyLine, lineEnd }`. `yaml` is null where there is no block between `---`
 * lines at the very beginning; `bodyLine` is the line, from 1, on which the body begins.
 */
export function splitNote(text) {
  const lineEnd = /\r\n/.test(text) ? '\r\n' : '\n';
  const whole = { yaml: null, body: text, bodyLine: 1, lineEnd };
  if (!/^---[ \t]*\r?\n/.test(text)) return whole;
  const begin = text.indexOf('\n') + 1;
  let line = 2;
  for (let at = begin; at < Math.min(text.length, FRONT_MATTER_BYTES); line += 1) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next + 1;
    if (/^(?:---|\.\.\.)[ \t]*\r?\n?$/.test(text.slice(at, end))) {
      return { yaml: text.slice(begin, at), body: text.slice(end), bodyLine: line + 1, lineEnd };
    }
    at = end;
  }
  return whole;
}

/** What a note says about itself: `{ title, tags, createdAt, values, fault }`; `fault` says what is wrong with its YAML. */
export function readMetadata(yaml) {
  const nothing = { title: null, tags: [], createdAt: null, values: {}, fault: null };
  if (yaml === null || yaml.trim() === '') return nothing;
  let values;
  try {
    const document = parseDocument(yaml, { version: '1.2', logLevel: 'silent' });
    if (document.errors.length > 0) return { ...nothing, fault: firstLine(document.errors[0].message) };
    values = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return { ...nothing, fault: firstLine(error.message) };
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    return { ...nothing, fault: 'it is no list of "name: value" lines' };
  }
  return {
    title: textOf(values.title),
    tags: tagsOf(values.tags ?? values.tag),
    createdAt: timeOf(values.created ?? values.date),
    values: plainJson(values, NESTING_LIMIT),
    fault: null,
  };
}

/** The block with some values set, everything else in it as it was, comments too. `yaml` may be null. */
export function changedYaml(yaml, changes) {
  const document = parseDocument(yaml ?? '', { version: '1.2', logLevel: 'silent' });
  for (const [name, value] of Object.entries(changes)) {
    const existing = document.get(name, true);
    if (isScalar(existing) && typeof value === 'string') existing.value = value;
    else document.set(name, document.createNode(value, { flow: Array.isArray(value) }));
  }
  return document.toString({ lineWidth: 0 });
}

/** Tags as they are compared: `#Rust` is `rust`. */
export function foldTag(tag) {
  return tag.trim().replace(/^#/, '').normalize('NFKC').toLowerCase();
}

function tagsOf(value) {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[,，、]/) : [];
  const tags = list.map(textOf).filter((tag) => tag !== null);
  return [...new Set(tags.map((tag) => tag.replace(/^#/, '').slice(0, TAG_CHARACTERS).toWellFormed()))].slice(0, TAGS);
}

function textOf(value) {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).toWellFormed().trim();
  return text === '' ? null : text.slice(0, 500).toWellFormed();
}

function timeOf(value) {
  if (typeof value !== 'string') return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Only what an answer may carry. */
function plainJson(value, depth) {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => plainJson(item, depth - 1));
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(entries.map(([key, child]) => [key.toWellFormed(), plainJson(child, depth - 1)]));
}

function firstLine(message) {
  return message.split('\n')[0].slice(0, 300).toWellFormed();
}
