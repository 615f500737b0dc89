import { createNote } from './commands/create-note.mjs';
import { deleteNote } from './commands/delete-note.mjs';
import { getNote } from './commands/get-note.mjs';
import { listNotes } from './commands/list-notes.mjs';
import { search } from './commands/search.mjs';
import { updateNote } from './commands/update-note.mjs';

/** `command({ root, indexDirectory, locks }, arguments, call)` by its name in the manifest. */
export const commands = {
  Search: search,
  CreateNote: createNote,
  GetNote: getNote,
  ListNotes: listNotes,
  UpdateNote: updateNote,
  DeleteNote: deleteNote,
};
