import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { replaceFile } from '../../lib/replace-file.mjs';
import { locate } from '../../lib/locate.mjs';
import { sha256 } from '../../lib/read-bytes.mjs';
import { telling } from '../faults.mjs';
import { changedYaml } from '../front-matter.mjs';
import { NOTE_BYTES } from '../limits.mjs';
import { noteSlug } from '../note-slug.mjs';
import { makeFolder } from '../notes-folder.mjs';

const NUMBERED_NAMES = 1_000;

/** Writes a new note; one that is there already is never touched. */
export async function createNote({ root }, { title, body, tags = [], folder = '' }) {
  const createdAt = new Date().toISOString();
  const yaml = changedYaml(null, { title: title.trim(), ...(tags.length > 0 && { tags }), created: createdAt });
  const text = `---\n${yaml}---\n\n${body}${body === '' || body.endsWith('\n') ? '' : '\n'}`;
  const bytes = Buffer.from(text, 'utf8');
  refuseTooLarge(bytes);
  const parent = await telling(() => makeFolder(root, folder), 'folder');
  const slug = noteSlug(title);
  for (let number = 1; number <= NUMBERED_NAMES; number += 1) {
    const name = number === 1 ? `${slug}.md` : `${slug}-${number}.md`;
    const path = parent === '' ? name : `${parent}/${name}`;
    if (await telling(() => isWritten(root, path, bytes), 'folder')) {
      return {
        data: { operation: 'created', note: { path, title: title.trim(), tags, createdAt, sha256: sha256(bytes) } },
        presentation: { summary: `Note "${title.trim()}" created as ${path}`, preferredView: 'note-card' },
        aiAdvice: { intent: 'relay', message: 'Tell the user under which path the note was kept.' },
      };
    }
  }
  throw new PluginError(
    'KNOWLEDGE.EXISTS',
    `${NUMBERED_NAMES} notes of that title are there already. Give another title or folder.`,
    {
      target: 'title',
    },
  );
}

export function refuseTooLarge(bytes) {
  if (bytes.length <= NOTE_BYTES) return;
  throw new PluginError(
    'KNOWLEDGE.NOTE_TOO_LARGE',
    `The note would have ${bytes.length} bytes; at most ${NOTE_BYTES} are possible. Split it.`,
    {
      target: 'body',
      details: { sizeBytes: bytes.length, limitBytes: NOTE_BYTES },
    },
  );
}

/** False when the name is taken. */
async function isWritten(root, path, bytes) {
  const { folder, name, stats } = await locate(root, path.split('/'), { followLast: false });
  try {
    if (stats !== null) return false;
    await replaceFile(folder, name, { previous: null, write: (handle) => handle.writeFile(bytes) });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await folder.close();
  }
}
