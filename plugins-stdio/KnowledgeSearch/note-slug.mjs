import { isReservedOnWindows } from '../lib/path-segments.mjs';

const SLUG_CHARACTERS = 80;
/** With a number and ".md" behind it, a name still fits every file system. */
const SLUG_BYTES = 200;

/** A file name, without its ending, that says what a title says, in any script, on any system. */
export function noteSlug(title) {
  const words = title.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let slug = Array.from(words.join('-')).slice(0, SLUG_CHARACTERS).join('');
  while (Buffer.byteLength(slug) > SLUG_BYTES) slug = Array.from(slug).slice(0, -1).join('');
  slug = slug.replace(/-+$/, '');
  return slug === '' || isReservedOnWindows(slug) ? `note${slug === '' ? '' : `-${slug}`}` : slug;
}
