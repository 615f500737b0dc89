import { FolderFault } from './folder-fault.mjs';

const PATH_CHARACTERS = 2_048;
const DEPTH_LIMIT = 64;
const WINDOWS_DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/** Names of our own unfinished writes; nobody sees them and nobody may make one. */
export const UNFINISHED = /^\.vcp-[0-9a-z]+-[0-9a-f]{12}\.tmp$/;

/**
 * The parts of a path relative to its root. Throws a `FolderFault`, `refused` or `outside`, for everything that is not
 * plainly inside; its message does not repeat the path.
 */
export function segmentsOf(path) {
  if (path.length > PATH_CHARACTERS) throw refused(`it is longer than ${PATH_CHARACTERS} characters`);
  if (!path.isWellFormed()) throw refused('it holds half of a surrogate pair');
  if (/\p{Cc}/u.test(path)) throw refused('it holds a control character');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || /^~(?:\/|$)/.test(path)) {
    throw refused('it is absolute. Give it relative to the root, such as "notes/today.md"');
  }
  if (path.includes('\\')) throw refused('it holds a backslash. Separate folders by "/"');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.length > DEPTH_LIMIT) throw refused(`it is more than ${DEPTH_LIMIT} folders deep`);
  for (const segment of segments) {
    if (segment === '..') throw new FolderFault('outside', 'it goes up with "..", which is not allowed');
    if (hidesSeparator(segment)) throw refused('it holds an encoded separator or ".."');
    if (UNFINISHED.test(segment)) throw refused(`"${segment}" is a name that is kept for unfinished writes`);
    if (process.platform === 'win32' && isReservedOnWindows(segment))
      throw refused('it holds a name that Windows reserves');
  }
  return segments;
}

/** `%2f`, `%5c`, `%00` and `%2e%2e` are plain letters to a file system, and a trap for whoever decodes the name later. */
function hidesSeparator(segment) {
  if (/%(?:2f|5c|00)/i.test(segment)) return true;
  return /%2e/i.test(segment) && segment.replaceAll(/%2e/gi, '.') === '..';
}

export function isReservedOnWindows(segment) {
  return WINDOWS_DEVICES.test(segment) || /[<>:"|?*]/.test(segment) || /[. ]$/.test(segment);
}

function refused(message) {
  return new FolderFault('refused', message);
}
