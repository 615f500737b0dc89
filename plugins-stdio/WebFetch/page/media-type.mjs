/** The media type without parameters, in lower case; for an answer that names none, what its first bytes look like. */
export const mediaTypeOf = (header, body) => {
  const named = header?.split(';')[0].trim().toLowerCase() ?? '';
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(named)) return named;
  const start = new TextDecoder().decode(body.subarray(0, 512)).trimStart().toLowerCase();
  if (/^<(?:!doctype html|html|head|body)\b/.test(start)) return 'text/html';
  return body.subarray(0, 512).includes(0) ? 'application/octet-stream' : 'text/plain';
};

const HTML = new Set(['text/html', 'application/xhtml+xml']);
const TEXT = /^(?:text\/.+|application\/(?:json|xml|yaml|toml|javascript|x-ndjson|sql|graphql)|.+\+(?:json|xml|yaml))$/;

/** How an answer is read: as a page, as text as it stands, or not at all. */
export const kindOf = (mediaType) => {
  if (HTML.has(mediaType)) return 'html';
  return TEXT.test(mediaType) && mediaType !== 'image/svg+xml' ? 'text' : 'file';
};

/** A name for a downloaded file: what the server calls it, or the end of its address. */
export const fileNameOf = ({ url, headers }) => {
  const disposition = headers.get('content-disposition') ?? '';
  const [, extended] = /filename\*=(?:utf-8|UTF-8)''([^;]+)/.exec(disposition) ?? [];
  const [, quoted, bare] = /filename="([^"]+)"|filename=([^;\s]+)/.exec(disposition) ?? [];
  const last = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? 'file';
  const name = decode(extended) ?? quoted ?? bare ?? decode(last) ?? 'file';
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, '_')
    .replace(/^\.+/, '')
    .slice(-120);
  return plain === '' ? 'file' : plain;
};

const decode = (text) => {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
