import { append } from './commands/append.mjs';
import { applyDiff } from './commands/apply-diff.mjs';
import { copy } from './commands/copy.mjs';
import { remove } from './commands/delete.mjs';
import { listRoots } from './commands/list-roots.mjs';
import { list } from './commands/list.mjs';
import { makeDirectory } from './commands/make-directory.mjs';
import { move } from './commands/move.mjs';
import { read } from './commands/read.mjs';
import { search } from './commands/search.mjs';
import { stat } from './commands/stat.mjs';
import { write } from './commands/write.mjs';

/** `command({ roots, locks, fallback }, arguments, call)` by its name in the manifest. */
export const commands = {
  ListRoots: listRoots,
  List: list,
  Stat: stat,
  Read: read,
  Write: write,
  Append: append,
  Move: move,
  Copy: copy,
  MakeDirectory: makeDirectory,
  Delete: remove,
  Search: search,
  ApplyDiff: applyDiff,
};
