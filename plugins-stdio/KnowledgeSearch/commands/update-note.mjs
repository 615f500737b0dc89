import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { lockWait } from '../../lib/call-time.mjs';
import { sha256 } from '../../lib/read-bytes.mjs';
import { replaceFile } from '../../lib/replace-file.mjs';
import { telling } from '../faults.mjs';
import { changedYaml } from '../front-matter.mjs';
import { atNote } from '../notes-folder.mjs';
import { parseNote } from '../parse-note.mjs';
import { refuseTooLarge } from './create-note.mjs';
import { readNote } from './get-note.mjs';

const UTF8_MARK = '\ufeff';

/** Changes title, tags or text of a note; what is not given stays as it is, to the byte. */
export async function updateNote({ root, locks }, args, call) {
  const { path, expectedSha256 } = args;
  if (['title', 'tags', 'body', 'appendBody'].every((name) => args[name] === undefined)) {
    throw new PluginError('MISSING_ARGUMENT', 'Give at least one of "title", "tags", "body" and "appendBody".', {
      target: 'body',
    });
  }
  if (args.body !== undefined && args.appendBody !== undefined) {
    throw new PluginError(
      'INVALID_ARGUMENT',
      'Give either "body" (replaces the text) or "appendBody" (adds to it), not both.',
      { target: 'appendBody' },
    );
  }
  return await telling(() =>
    locks.hold([lockKey(path)], lockWait(call), async () => {
      const before = await readNote(root, path);
      refuseChanged(before.bytes, expectedSha256);
      const bytes = Buffer.from(changedText(before.note, args), 'utf8');
      refuseTooLarge(bytes);
      if (!bytes.equals(before.bytes)) {
        await atNote(root, path, ({ folder, name }) =>
          replaceFile(folder, name, { previous: before.stats, write: (handle) => handle.writeFile(bytes) }),
        );
      }
      const note = parseNote(before.note.path, bytes);
      return {
        data: {
          operation: bytes.equals(before.bytes) ? 'unchanged' : 'updated',
          note: {
            path: note.path,
            title: note.title,
            tags: note.tags,
            sha256: sha256(bytes),
            previousSha256: sha256(before.bytes),
          },
        },
        presentation: { summary: `Note ${note.path} updated`, preferredView: 'note-card' },
      };
    }),
  );
}

export function lockKey(path) {
  return `note/${path.normalize('NFC').toLowerCase()}`;
}

export function refuseChanged(bytes, expected) {
  if (expected === undefined || sha256(bytes) === expected.toLowerCase()) return;
  throw new PluginError(
    'KNOWLEDGE.CONFLICT',
    'The note has changed since you read it; nothing was done. Get it again and decide anew.',
    {
      target: 'expectedSha256',
      details: { expectedSha256: expected, foundSha256: sha256(bytes) },
    },
  );
}

function changedText(note, { title, tags, body, appendBody }) {
  if (note.encoding !== 'utf-8') {
    throw new PluginError('KNOWLEDGE.NOT_UTF8', `The note is in ${note.encoding}; only notes in UTF-8 are changed.`, {
      target: 'path',
      details: { encoding: note.encoding },
    });
  }
  const inFile = (text) => text.replaceAll(/\r\n|\n/g, note.lineEnd);
  const isMetadataChanged = title !== undefined || tags !== undefined;
  if (isMetadataChanged && note.frontMatterFault !== null) {
    throw new PluginError(
      'KNOWLEDGE.FRONT_MATTER_FAULTY',
      `The block between the --- lines is no YAML that can be changed: ${note.frontMatterFault}. Mend it by hand first.`,
      {
        target: title === undefined ? 'tags' : 'title',
      },
    );
  }
  const yaml = isMetadataChanged
    ? inFile(
        changedYaml(note.yaml, {
          ...(title !== undefined && { title: title.trim() }),
          ...(tags !== undefined && { tags }),
        }),
      )
    : note.yaml;
  const block = yaml === null ? '' : `---${note.lineEnd}${yaml}---${note.lineEnd}`;
  const gap = yaml !== null && note.yaml === null ? note.lineEnd : '';
  return `${note.hasMark ? UTF8_MARK : ''}${block}${gap}${newBody(note, { body, appendBody }, inFile)}`;
}

function newBody(note, { body, appendBody }, inFile) {
  if (body !== undefined) {
    const gap = note.yaml !== null && /^\r?\n/.test(note.body) ? note.lineEnd : '';
    return `${gap}${ended(inFile(body), note.lineEnd)}`;
  }
  if (appendBody !== undefined) return `${ended(note.body, note.lineEnd)}${ended(inFile(appendBody), note.lineEnd)}`;
  return note.body;
}

function ended(text, lineEnd) {
  return text === '' || text.endsWith('\n') ? text : `${text}${lineEnd}`;
}
