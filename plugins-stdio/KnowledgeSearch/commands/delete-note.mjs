import { unlink } from 'node:fs/promises';
import { lockWait } from '../../lib/call-time.mjs';
import { telling } from '../faults.mjs';
import { atNote } from '../notes-folder.mjs';
import { readNote } from './get-note.mjs';
import { lockKey, refuseChanged } from './update-note.mjs';

/** Deletes the file of a note, for good. */
export async function deleteNote({ root, locks }, { path, expectedSha256 }, call) {
  return await telling(() =>
    locks.hold([lockKey(path)], lockWait(call), async () => {
      const { bytes, note } = await readNote(root, path);
      refuseChanged(bytes, expectedSha256);
      await atNote(root, path, async ({ folder, name }) => {
        await unlink(folder.at(name));
        await folder.sync();
      });
      return {
        data: { operation: 'deleted', note: { path: note.path, title: note.title, tags: note.tags } },
        presentation: { summary: `Note ${note.path} deleted`, preferredView: 'note-card' },
        aiAdvice: { intent: 'relay', message: 'Tell the user which note was deleted.' },
      };
    }),
  );
}
