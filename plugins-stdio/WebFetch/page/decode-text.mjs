import sniffEncoding from 'html-encoding-sniffer';

/** Bytes as text: by byte order mark, by the header's charset, by the page's own `meta`, else UTF-8, else Windows-1252. */
export const decodeText = (bytes, contentType, isHtml) => {
  const [, label] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '') ?? [];
  const charset = isHtml
    ? sniffEncoding(bytes, { transportLayerEncodingLabel: label, defaultEncoding: fallback(bytes) })
    : (bomOf(bytes) ?? known(label) ?? fallback(bytes));
  return { text: clean(new TextDecoder(charset).decode(bytes)), charset: charset.toLowerCase() };
};

const known = (label) => {
  try {
    return label && new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
};

const bomOf = ([a, b, c]) => {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
};

const fallback = (bytes) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
};

/**
 * Without characters that nobody sees and that hide, turn or smuggle text: controls, bidirectional marks, soft hyphens and
 * what joins words without a width, Unicode tags, variation selectors but for those of emoji. Joiners stay, one at a time:
 * Persian, Indic scripts and emoji are written with them.
 */
export const clean = (text) =>
  text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, '')
    .replaceAll(/(?<!\p{Emoji})[\ufe0e\ufe0f]/gu, '')
    .replaceAll(/(?<=\u200c|\u200d)(?:\u200c|\u200d)/g, '');

const UNSEEN =
  /(?![\t\n\r])\p{Cc}|\p{Bidi_Control}|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/gu;
