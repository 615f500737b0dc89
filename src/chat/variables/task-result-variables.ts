import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import { plainValue, type VariableSource } from './variable-source.ts';

/**
 * Gives what a task has come to, in words for a model; raises, in words for the author of the request, why it can tell
 * nothing. It tells `owner` of the tasks that are theirs to see, and of others as if there were none.
 */
export type TaskResultResolver = (
  plugin: string,
  taskId: string,
  asked: { readonly owner: string; readonly signal: AbortSignal },
) => Promise<string>;

const BEGINNING = 'VCP_ASYNC_RESULT::';

/** `{{VCP_ASYNC_RESULT::Plugin::taskId}}`: what a plugin says there is inserted, and never becomes a call. */
export const taskResultVariables = (resolve: TaskResultResolver, owner: string): VariableSource => ({
  find: async (name, signal) => {
    if (!name.startsWith(BEGINNING)) return null;
    const [plugin, taskId, ...more] = name.slice(BEGINNING.length).split('::');
    if (plugin === undefined || taskId === undefined || plugin === '' || taskId === '' || more.length > 0) return null;
    return plainValue(neutraliseMarkers(await resolve(plugin, taskId, { owner, signal })));
  },
});
