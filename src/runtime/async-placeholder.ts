import type { Limits } from '../lib/limits.ts';
import { neutraliseMarkers } from '../lib/neutralise-markers.ts';
import type { Viewer } from '../policy/apply-policy.ts';
import { redactText } from '../policy/sensitive-text.ts';
import type { CallStore } from '../ports/call-store.ts';
import type { StoredTask, TaskStore } from '../ports/task-store.ts';
import type { AiContext } from '../present/ai/ai-view.ts';
import { findTaskPlaceholders, neutralisePlaceholders, type FoundPlaceholder } from '../task/task-placeholder.ts';
import { projectForAi } from './project.ts';

export type PlaceholderDependencies = {
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly calls: Pick<CallStore, 'getResult'>;
  readonly knownPaths: readonly string[];
  readonly limits: Pick<Limits, 'auditDataCharacters'>;
};

/** Who reads the text: what a key may see of the tasks of others. */
export type PlaceholderViewer = Viewer & { maySee(owner: string): boolean };

/** Placeholders of one text that are replaced; further ones stay as they are. */
const MOST_PLACEHOLDERS = 32;

/**
 * A text with what stands for tasks replaced (§10.5): by the AI view of the result that ended the task, never by what its
 * plugin has sent, or by how the task stands. What the viewer may not see, or is not there, is said to be unknown. What is
 * put in holds no placeholder and no call.
 */
export const resolveAsyncPlaceholders = async (
  text: string,
  viewer: PlaceholderViewer,
  dependencies: PlaceholderDependencies,
  ai: Partial<AiContext> = {},
): Promise<string> => {
  const found = new Map(findTaskPlaceholders(text).map((one) => [one.placeholder, one]));
  const told = new Map<string, string>();
  for (const one of [...found.values()].slice(0, MOST_PLACEHOLDERS)) {
    const plain = await taskText(one, viewer, dependencies, ai);
    told.set(one.placeholder, neutralisePlaceholders(neutraliseMarkers(plain)));
  }
  if (told.size === 0) return text;
  const pattern = new RegExp([...told.keys()].map((one) => RegExp.escape(one)).join('|'), 'gu');
  return text.replaceAll(pattern, (placeholder) => told.get(placeholder) ?? placeholder);
};

/** What stands for one task: see `resolveAsyncPlaceholders`. */
export const taskText = async (
  { toolName, taskId }: Pick<FoundPlaceholder, 'toolName' | 'taskId'>,
  viewer: PlaceholderViewer,
  { tasks, calls, knownPaths, limits }: PlaceholderDependencies,
  ai: Partial<AiContext> = {},
): Promise<string> => {
  const task = await tasks.get(taskId);
  if (task === null || task.toolName !== toolName || !viewer.maySee(task.owner)) {
    return `[task ${taskId} of ${toolName}: unknown]`;
  }
  if (task.resultId === null) return stateOf(task, knownPaths);
  const stored = await calls.getResult(task.resultId);
  if (stored === null) return `[task ${taskId} of ${toolName}: ${task.state}; its result is not kept any more]`;
  return projectForAi(stored.result, { viewer, knownPaths, limits, ai }).text;
};

const stateOf = (
  { id, toolName, state, progress, stage, message }: StoredTask,
  knownPaths: readonly string[],
): string => {
  const words = [
    progress === null ? null : `${Math.round(progress * 100)} %`,
    ...[stage, message].map((said) => (said === null ? null : (redactText(said, knownPaths)?.text ?? said))),
  ].filter((word): word is string => word !== null && word !== '');
  return `[task ${id} of ${toolName}: ${[state, ...words].join(', ')}]`;
};
