import { fileTypeFromBuffer } from 'file-type';
import { lookup } from 'mrmime';
import type { ResourceKind } from '../protocol/resource.ts';
import { looksLikeText } from './looks-like-text.ts';
import { sniffMarkup, type MarkupType } from './sniff-markup.ts';

/** What is known about a resource's type beside its bytes, in falling order of trust (§7.5). */
export type DeclaredTypes = {
  readonly dataUri?: string | null;
  readonly http?: string | null;
  readonly fileName?: string | undefined;
  readonly plugin?: string | undefined;
};

export type DecidedType = {
  readonly mimeType: string;
  /** A declared type that the bytes contradict. */
  readonly contradicted: string | null;
};

export const UNKNOWN_TYPE = 'application/octet-stream';

/** Containers that magic bytes can only name as such; what is inside is for the declaration to say. */
const CONTAINERS: Record<string, RegExp> = {
  'application/zip': /openxmlformats|opendocument|\+zip$|java-archive|vnd\.android|^application\/(?:x-)?zip/,
  'application/x-cfb': /vnd\.ms-|msword|x-msi$/,
  'application/gzip': /^application\/(?:x-)?(?:gzip|gtar|tgz|compressed-tar)$/,
  'video/webm': /^audio\/webm$/,
  'video/mp4': /^(?:audio\/(?:mp4|x-m4a|m4a)|application\/mp4)$/,
  'video/ogg': /^audio\/ogg$/,
};

/** Types whose files are of a better known type as well, by whose names they go. */
const BROADER: Record<string, string> = { 'image/apng': 'image/png' };

/** Types whose every file begins with bytes that we know: without them, something else is in the file. */
const KNOWN_BY_MAGIC =
  /^(?:image\/(?:png|jpe?g|gif|webp|bmp|avif|heic|tiff)|application\/(?:pdf|zip|gzip|x-7z-compressed|wasm)|video\/(?:mp4|webm|quicktime|x-matroska)|audio\/(?:wav|flac|ogg))$/;

/** Extensions that mean one thing to a table of media types and another to most people. */
const AMBIGUOUS_EXTENSION = /\.[cm]?ts$/i;

/**
 * §7.5: magic bytes, data URI, trusted HTTP type, file extension, the plugin's word, `application/octet-stream`. Markup
 * has no magic bytes, but its first element is as good: no name makes a picture or a film of it. What nobody calls
 * anything and what reads as UTF-8 is plain text.
 */
export const decideMediaType = async (head: Uint8Array, declared: DeclaredTypes): Promise<DecidedType> => {
  const { fileName } = declared;
  const byName = fileName === undefined || AMBIGUOUS_EXTENSION.test(fileName) ? undefined : lookup(fileName);
  const candidates = [declared.dataUri, declared.http, byName, declared.plugin]
    .map(essence)
    .filter((type) => type !== null);
  const magic = await typeByMagic(head);
  if (magic === null || magic === 'application/xml') {
    const markup = sniffMarkup(head) ?? (magic === null ? null : 'application/xml');
    return markup === null ? decideByWord(head, candidates) : decideMarkup(markup, candidates);
  }
  const inner = candidates.find((type) => CONTAINERS[magic]?.test(type));
  if (inner !== undefined) return { mimeType: inner, contradicted: null };
  const fits = (type: string) => sameType(type, magic) || type === UNKNOWN_TYPE || BROADER[magic] === type;
  const wrong = candidates.find((type) => !fits(type));
  return { mimeType: magic, contradicted: wrong ?? null };
};

/** The type that the first bytes of a file give away, or null. */
export const typeByMagic = async (head: Uint8Array): Promise<string | null> =>
  essence((await fileTypeFromBuffer(head).catch(() => undefined))?.mime);

/** Who calls a text `application/octet-stream` has said nothing of it, as `curl --data-binary` does: what follows may know. */
const decideByWord = (head: Uint8Array, candidates: readonly string[]): DecidedType => {
  const isText = looksLikeText(head);
  const said = isText ? candidates.filter((type) => type !== UNKNOWN_TYPE) : candidates;
  const unsaid = isText && said.length === 0 && head.length > 0 ? 'text/plain' : UNKNOWN_TYPE;
  return {
    mimeType: said.find((type) => !KNOWN_BY_MAGIC.test(type)) ?? unsaid,
    contradicted: said.find((type) => KNOWN_BY_MAGIC.test(type)) ?? null,
  };
};

/** Declared types that say what markup is without a contradiction: as a source text it may have any text's type. */
const MARKUP: Record<MarkupType, RegExp> = {
  'text/html': /^application\/xhtml\+xml$/,
  'image/svg+xml': /^(?!)$/,
  'application/xml': /[+/]xml$/,
};
const SOURCE_TEXT = /^(?:text\/(?!html$|xml$)|application\/(?:json|toml|yaml|javascript|x-sh)$)/;

const decideMarkup = (markup: MarkupType, candidates: readonly string[]): DecidedType => {
  const fits = (type: string) => sameType(type, markup) || MARKUP[markup].test(type) || SOURCE_TEXT.test(type);
  const first = candidates.find((type) => type !== UNKNOWN_TYPE);
  const wrong = candidates.find((type) => type !== UNKNOWN_TYPE && !fits(type)) ?? null;
  return { mimeType: first !== undefined && fits(first) ? first : markup, contradicted: wrong };
};

const essence = (type: string | null | undefined): string | null => {
  const plain = type?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(plain) ? plain : null;
};

const ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'video/x-m4v': 'video/mp4',
  'application/x-zip-compressed': 'application/zip',
  'text/xml': 'application/xml',
};

const sameType = (a: string, b: string): boolean => (ALIASES[a] ?? a) === (ALIASES[b] ?? b);

const ARCHIVES = /^application\/(zip|gzip|x-tar|x-7z-compressed|vnd\.rar|x-rar-compressed|x-bzip2|x-xz|zstd)$/;
const DOCUMENTS = /^application\/(pdf|msword|rtf|epub\+zip|vnd\.(ms-|openxmlformats|oasis\.opendocument))/;
const TEXTS = /^(text\/|application\/(json|xml|yaml|toml|javascript|.*\+(json|xml)$))/;

/** The kind that a media type belongs to (§7.2). */
export const kindOfMediaType = (mimeType: string): ResourceKind => {
  const [family] = mimeType.split('/');
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  if (ARCHIVES.test(mimeType)) return 'archive';
  if (DOCUMENTS.test(mimeType)) return 'document';
  if (TEXTS.test(mimeType)) return 'text';
  return 'binary';
};
