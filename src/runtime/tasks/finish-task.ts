import { createDeadline } from '../../lib/deadline.ts';
import type { Failure } from '../../lib/failure.ts';
import type { Limits } from '../../lib/limits.ts';
import type { CallStore } from '../../ports/call-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoredTask } from '../../ports/task-store.ts';
import type { TaskFinish } from '../../ports/transport.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import { restoreCommand } from '../../registry/define-command.ts';
import type { ResourceDependencies, ResourceScope } from '../../resources/resource-context.ts';
import { acceptPayload } from '../accept-payload.ts';
import { issuesOfFailure } from './issues-of-failure.ts';
import { localPathFailure } from './local-path-failure.ts';
import type { EndOrigin, TaskService } from './task-service.ts';

export type FinishDependencies = {
  readonly tasks: TaskService;
  readonly calls: CallStore;
  readonly resources: ResourceDependencies;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'reportedIssues' | 'callTimeoutMs'>;
};

export type FinishedTask =
  | { readonly ok: true; readonly result: CanonicalToolResult }
  /** The payload breaks the protocol or the command's schema; the task goes on. */
  | { readonly ok: false; readonly failure: Failure }
  /** The task has another end already. */
  | { readonly ok: false; readonly failure: null };

/**
 * Ends a task with what its plugin says: through the same stages as an answer that came at once, against the command as it
 * was when the call was made. `scope` is that of the call, for a plugin in this process; what comes from elsewhere has no
 * files here.
 */
export const finishTask = async (
  task: StoredTask,
  payload: unknown,
  {
    scope,
    written = NOTHING_WRITTEN,
    callbackOf,
  }: {
    readonly scope?: ResourceScope;
    /** Resources that lie in the store already, where there is no scope. */
    readonly written?: ResourceScope['written'];
  } & Pick<EndOrigin, 'callbackOf'>,
  dependencies: FinishDependencies,
): Promise<FinishedTask> => {
  const { tasks, calls, clock, limits } = dependencies;
  const command = task.command === null ? null : restoreCommand(task.command);
  if (command === null) {
    return { ok: false, failure: { code: 'INVALID_TOOL_RESULT', message: 'this task takes no result of a plugin' } };
  }
  const local = scope === undefined ? localPathFailure(payload) : null;
  if (local !== null) return { ok: false, failure: local };
  const deadline = createDeadline({ now: clock.now(), timeoutMs: limits.callTimeoutMs });
  try {
    const accepted = await acceptPayload(
      {
        reply: { payload, warnings: [] },
        command,
        expected: { pluginType: 'asynchronous', async: true, taskId: task.id, endsTask: true },
        scope: scope ?? {
          written,
          directory: async () => null,
          find: async (id) => {
            const stored = await calls.getResource(id);
            return stored?.owner === task.owner ? stored : null;
          },
        },
        signal: deadline.signal,
      },
      dependencies,
      UNOBSERVED,
    );
    if (!accepted.ok) return accepted;
    const result = await tasks.end(task, accepted.outcome, {
      source: 'callback',
      ...(callbackOf === undefined ? {} : { callbackOf }),
    });
    return result === null ? { ok: false, failure: null } : { ok: true, result };
  } finally {
    deadline.dispose();
  }
};

/** The same, as a plugin in this process is told of it. */
export const finishHere = async (...finishing: Parameters<typeof finishTask>): Promise<TaskFinish> => {
  const finished = await finishTask(...finishing);
  if (finished.ok) return { ok: true, resultId: finished.result.id };
  if (finished.failure === null) {
    return { ok: false, code: 'TASK_ENDED', message: 'the task has ended already', issues: [] };
  }
  const { code, message } = finished.failure;
  return { ok: false, code, message, issues: issuesOfFailure(finished.failure) };
};

const NOTHING_WRITTEN: ResourceScope['written'] = new Map();

const UNOBSERVED = {
  stage: <T>(_name: string, work: () => Promise<T>): Promise<T> => work(),
  tookBase64: () => undefined,
};
