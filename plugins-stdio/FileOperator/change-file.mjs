import { access, constants } from 'node:fs/promises';
import { lockWait } from '../lib/call-time.mjs';
import { sha256 } from '../lib/read-bytes.mjs';
import { replaceFile } from '../lib/replace-file.mjs';
import { atEntry, lockKeyOf, lookAgain } from './entry.mjs';
import { fault, telling } from './faults.mjs';
import { TEXT_FILE_BYTES } from './limits.mjs';
import { readWhole } from './read-whole.mjs';

// What the commands that change a text have in common.

/** Runs `action` at the file to change, alone among the calls that change it; `previous` is what is there by then, or null. */
export async function changeFile(locks, entry, call, action) {
  return await atEntry(entry, async (found) => {
    const key = await lockKeyOf({ ...found, name: requireName(entry, found) });
    return await locks.hold([key], lockWait(call), async () => await action(found, await lookAgain(found)));
  });
}

/** The name of the file to change; a link that ends at a folder has none. */
function requireName(entry, { name }) {
  if (name !== null) return name;
  throw fault('FILES.NOT_A_FILE', entry, 'it is a link to a folder, not a file.', { target: entry.target });
}

/** What a file holds before it is replaced; one that may not be written is a fault already here. */
export async function readPrevious(entry, found) {
  await access(found.folder.at(found.name), constants.W_OK);
  return await readWhole(entry, found, TEXT_FILE_BYTES, 'Delete it first, or use Append.');
}

/** `bytes` is null where there is no file. */
export function checkExpected(entry, expected, bytes) {
  if (expected === undefined) return;
  const found = bytes === null ? null : sha256(bytes);
  if (found === expected.toLowerCase()) return;
  const reason = found === null ? 'it does not exist any more' : 'it has changed since you read it';
  throw fault('FILES.CONFLICT', entry, `${reason}; nothing was done. Read it again and decide anew.`, {
    target: 'expectedSha256',
    details: { expectedSha256: expected, foundSha256: found },
  });
}

/** The warning that new text was put into an encoding that was only guessed. */
export function guessed(encoding) {
  return {
    code: 'FILES.ENCODING_GUESSED',
    message: `The file says nowhere that it is in ${encoding}; that was concluded from its bytes. Give "encoding" if it is another.`,
    target: 'data.encoding',
  };
}

export function notEncodable(entry, encoding, character) {
  const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return fault(
    'FILES.NOT_ENCODABLE',
    entry,
    `the file is in ${encoding}, which has no "${character}" (${code}); nothing was done. Leave it out, or write the whole file with "encoding": "utf-8".`,
    {
      target: 'encoding',
      details: { encoding, character, codePoint: code },
    },
  );
}

/** Puts the new bytes in the place of what was there before, or of nothing. */
export async function put(entry, { folder, name }, before, bytes) {
  await telling(entry, () =>
    replaceFile(folder, name, { previous: before?.stats ?? null, write: (handle) => handle.writeFile(bytes) }),
  );
}
