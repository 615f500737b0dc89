/**
 * A name as a descriptor may carry it: the last step of a path, of whatever system, without control characters and those
 * that nobody sees and that turn what follows them around. Nothing that means a directory.
 */
export const usableFileName = (name: string | undefined): string | undefined => {
  const plain = name
    ?.split(/[/\\]/)
    .findLast((step) => step !== '')
    // Joiners make one sign of several, as in many emoji.
    ?.replaceAll(/\p{Cc}|(?![\u200c\u200d])\p{Cf}/gu, '')
    .slice(0, 300)
    .toWellFormed();
  return plain === undefined || /^\.{0,2}$/.test(plain) ? undefined : plain;
};

/** Endings that their media types do not tell. */
const USUAL_EXTENSIONS: Readonly<Record<string, string>> = { 'text/plain': 'txt', 'text/markdown': 'md' };

/** A name made of the plugin's own id for the resource and an ending that fits the type. */
export const defaultFileName = (localId: string, mimeType: string): string => {
  const stem =
    localId
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^\.+/, '')
      .slice(0, 80)
      .toWellFormed() || 'resource';
  const extension = USUAL_EXTENSIONS[mimeType] ?? /\/(?:x-|vnd\.)?([a-z0-9]{2,5})(?:\+|$)/.exec(mimeType)?.[1];
  return extension === undefined || stem.includes('.') ? stem : `${stem}.${extension}`;
};
