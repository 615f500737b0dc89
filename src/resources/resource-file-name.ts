import { mimes } from 'mrmime';

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

/** A name made of the plugin's own id for the resource and an ending that fits the type. */
export const defaultFileName = (localId: string, mimeType: string): string => {
  const stem =
    localId
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^\.+/, '')
      .slice(0, 80)
      .toWellFormed() || 'resource';
  const extension = extensionOf(mimeType);
  return extension === undefined || stem.includes('.') ? stem : `${stem}.${extension}`;
};

/** Where a type has several endings, or its own name is none: what people's files end with. */
const USUAL: ReadonlySet<string> = new Set('txt md html jpg mp3 mov'.split(' '));

const extensionOf = (mimeType: string): string | undefined => {
  // Any bytes at all: no ending says more than none.
  if (mimeType === 'application/octet-stream') return undefined;
  const known = Object.keys(mimes).filter((extension) => mimes[extension] === mimeType);
  const ofName = /\/(?:x-|vnd\.)?([a-z0-9]{2,5})(?:\+|$)/.exec(mimeType)?.[1];
  const own = ofName !== undefined && (known.length === 0 || Object.hasOwn(mimes, ofName)) ? ofName : undefined;
  return known.find((extension) => USUAL.has(extension)) ?? own ?? known[0];
};
