import { detectEncoding } from '../lib/detect-encoding.mjs';
import { decode } from '../lib/text-encodings.mjs';
import { readMetadata, splitNote } from './front-matter.mjs';

const TITLE_CHARACTERS = 300;

/**
 * A note as its file says it: title (front matter, else first heading, else file name), tags, body. Null for a file that
 * is no text.
 */
export function parseNote(path, bytes) {
  const found = detectEncoding(bytes);
  if (found === null) return null;
  const text = decode(bytes.subarray(found.bomLength), found.encoding);
  const parts = splitNote(text);
  const metadata = readMetadata(parts.yaml);
  return {
    path,
    title: (metadata.title ?? headingOf(parts.body) ?? nameOf(path)).slice(0, TITLE_CHARACTERS).toWellFormed(),
    tags: metadata.tags,
    createdAt: metadata.createdAt,
    frontMatter: metadata.values,
    frontMatterFault: metadata.fault,
    encoding: found.encoding,
    hasMark: found.bomLength > 0,
    ...parts,
  };
}

function headingOf(body) {
  let isCode = false;
  let at = 0;
  while (at < body.length) {
    const next = body.indexOf('\n', at);
    const line = body.slice(at, next === -1 ? body.length : next);
    if (/^\s{0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    if (!isCode && /^#{1,6}[ \t]+\S/.test(line))
      return line
        .replace(/^#+[ \t]+/, '')
        .replace(/[ \t]#*\s*$/, '')
        .trim();
    if (next === -1) return null;
    at = next + 1;
  }
  return null;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|markdown)$/i, '');
}
