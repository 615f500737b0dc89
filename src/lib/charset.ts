/** Types of media that are text, and say in which encoding. */
export const hasCharset = (mimeType: string): boolean => /^text\/|json$|xml$/.test(mimeType) && !mimeType.includes(';');

/** The encoding that a Content-Type names, or null when it names none that is known. */
export const charsetOf = (contentType: string): string | null => {
  const match = /;\s*charset\s*=\s*(?:"([^"]{1,64})"|([^\s";]{1,64}))/i.exec(contentType);
  return charsetNamed(match?.[1] ?? match?.[2]);
};

/** The name by which everybody knows an encoding (WHATWG Encoding), or null: UTF-7, for one, is read by nobody. */
export const charsetNamed = (label: unknown): string | null => {
  if (typeof label !== 'string') return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
};
