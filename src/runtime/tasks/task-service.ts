import { withApprovalNote } from '../../approval/describe-approval.ts';
import type { CallOutcome } from '../../canonical/build-canonical-result.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import type { Failure } from '../../lib/failure.ts';
import type { Limits } from '../../lib/limits.ts';
import { METRICS } from '../../lib/metric-definitions.ts';
import { withCallerGiven } from '../../policy/caller-given.ts';
import type { CallStore, FinishedCall, TaskEnd } from '../../ports/call-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventSink } from '../../ports/event-sink.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { boundLogger, type Logger } from '../../ports/logger.ts';
import { noMetrics, type Metrics } from '../../ports/metrics.ts';
import type { StoredTask, TakenCallback, TaskStore } from '../../ports/task-store.ts';
import type { BackgroundWork } from '../../ports/transport.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { InvocationSource } from '../../protocol/invocation.ts';
import type { PluginManifest } from '../../protocol/manifest.ts';
import type { ProgressReport } from '../../protocol/stdio-frame.ts';
import type { TaskState } from '../../protocol/task.ts';
import { taskOfResult } from '../../task/task-of-result.ts';
import { endOfTask, isTerminal, type OpenTaskState, type TerminalTaskState } from '../../task/task-state.ts';
import { announceResult } from '../announce-result.ts';
import { failedOutcome } from '../call-failure.ts';
import { finishedCallOf } from '../record-call.ts';
import { sealResult } from '../seal-result.ts';
import type { TaskApprovals } from '../task-approvals.ts';
import { createFollowers } from './followers.ts';
import { createRunningTasks } from './running-tasks.ts';
import { createTaskTeller } from './tell-of-tasks.ts';
import { createProgressGate } from './progress-gate.ts';
import { createPostponedEnds } from './postponed-ends.ts';

export type TaskServiceDependencies = {
  readonly store: TaskStore;
  readonly approvals: TaskApprovals;
  readonly calls: CallStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'eventBytes' | 'taskProgressMs' | 'auditDataCharacters' | 'callbackSkewMs'>;
  /** Of the version that is served now; null for a tool that is not there any more. */
  manifestOf(toolName: string): PluginManifest | null;
  readonly serverId: string;
  readonly knownPaths: readonly string[];
  /** Without it, nothing is counted. */
  readonly metrics?: Metrics;
};

/** How a task comes to its end beside its call: by what, and for a callback as which. */
export type EndOrigin = {
  readonly source?: InvocationSource;
  /** The callback that brought the end, once the result is known. */
  readonly callbackOf?: (result: CanonicalToolResult, state: TerminalTaskState) => TakenCallback;
};

export type Cancelled = 'cancelled' | 'ended' | 'unknown';

/** The tasks of this server (§4.8): those that are stored, and what runs for them in this process. */
export type TaskService = {
  readonly store: TaskStore;
  /** Keeps a new task. */
  create(task: StoredTask): Promise<void>;
  /** The task's call is under way in this process; `stop` ends it. Gives back what to call when it has its outcome. */
  underway(taskId: string, stop: () => void): () => void;
  /** What goes on for a task behind its `accepted`; how it ends may end the task. */
  adopt(task: StoredTask, work: BackgroundWork): void;
  /** Keeps the result that accepted the work, and how far the task has come by it. */
  accept(task: StoredTask, call: FinishedCall): Promise<void>;
  /** Ends the task with the result of a call; false when it has ended already. */
  settle(task: StoredTask, call: FinishedCall, callback?: TakenCallback): Promise<boolean>;
  /** Ends the task with an outcome; null when it has ended already. */
  end(task: StoredTask, outcome: CallOutcome, origin?: EndOrigin): Promise<CanonicalToolResult | null>;
  /** The result that ended the task; null while there is none. */
  endedWith(taskId: string): Promise<CanonicalToolResult | null>;
  /** Tells of progress, as often as that is allowed. */
  report(task: StoredTask, report: ProgressReport): void;
  /** The same by a callback: false when the task takes no more progress, or took this callback already. */
  reportBy(task: StoredTask, report: ProgressReport, callback: TakenCallback): Promise<boolean>;
  cancel(taskId: string, reason?: string | null): Promise<Cancelled>;
  follow(taskId: string, onChange: () => void): () => void;
  /**
   * Ends the tasks whose time is over, and what runs here for tasks that were ended elsewhere. `mayEndTasks` is asked when
   * there are such tasks: it may find their ends, or have them wait for the next look.
   */
  sweep(options?: { mayEndTasks?(): Promise<boolean> }): Promise<void>;
  /** Ends the tasks that processes of this server work on, because it stops. */
  shutDown(): Promise<void>;
};

/** Tasks that are ended at one look; further ones at the next. */
const SWEPT_AT_ONCE = 200;

export const createTaskService = (dependencies: TaskServiceDependencies): TaskService => {
  const { store, approvals, calls, clock, events, limits, manifestOf, knownPaths, metrics = noMetrics } = dependencies;
  let open: ReadonlyMap<TaskState, number> = new Map();
  let forgottenAt = clock.monotonic();
  metrics.watch(METRICS.tasksOpen, () => [...open].map(([state, value]) => ({ labels: { state }, value })));
  const followers = createFollowers();
  const running = createRunningTasks(store, followers);
  const tell = createTaskTeller(events, followers);
  const gate = createProgressGate(limits.taskProgressMs);
  const postponed = createPostponedEnds();

  const loggerOf = (task: StoredTask): Logger =>
    boundLogger(dependencies.logger, {
      taskId: task.id,
      invocationId: task.invocationId,
      requestId: task.requestId,
      toolName: task.toolName,
    });

  const stepOf = ({ stage, progress, message }: ProgressReport) =>
    ({ to: 'running', stage, message, ...(progress === null ? {} : { progress }), at: clock.now() }) as const;

  const writeProgress = async (task: StoredTask, report: ProgressReport): Promise<void> => {
    try {
      if (await store.advance(task.id, stepOf(report))) tell.progress(task, report);
    } catch (error) {
      loggerOf(task).warn('task.progress-not-stored', { fault: describeFault(error) });
    }
  };

  const settle: TaskService['settle'] = async (task, call, callback) => {
    const state = endOfTask(call.result.status) as TerminalTaskState;
    const end: TaskEnd = { taskId: task.id, state, at: clock.now(), ...(callback === undefined ? {} : { callback }) };
    if (!(await calls.settleTask(call, end))) return false;
    gate.forget(task.id);
    metrics.counter(METRICS.tasksEnded, { tool: task.toolName, state }).add();
    const { result } = call;
    const { recordId } = result.execution;
    loggerOf(task).info('task.ended', {
      state,
      resultId: result.id,
      recordId,
      errorCode: result.error?.code,
    });
    tell.state(task, state, result.task?.progress ?? null, { resultId: result.id, recordId });
    running.release(task.id);
    await approvals.taskEnded(task, result.id);
    return true;
  };

  const end: TaskService['end'] = async (task, outcome, { source = task.source, callbackOf } = {}) => {
    const logger = loggerOf(task);
    const now = clock.now();
    const result = sealResult(
      {
        ...outcome,
        task: taskOfResult(task, outcome.status, outcome.task),
        extensions: withApprovalNote(
          { ...withCallerGiven(outcome.extensions, null, knownPaths), ...task.extensions },
          await approvals.noteOf(task),
        ),
      },
      {
        tool: {
          name: task.toolName,
          displayName: task.displayName,
          version: task.pluginVersion,
          command: task.command?.commandIdentifier ?? null,
        },
        invocationId: task.invocationId,
        requestId: task.requestId,
        startedAt: task.createdAt,
        durationMs: now - task.createdAt,
        timeoutMs: Math.max(1, task.expiresAt - task.createdAt),
        attempt: 1,
        actor: task.actor,
        source,
        nodeId: task.nodeId,
        requestIp: task.requestIp,
      },
      { ...dependencies, logger },
    );
    const call = finishedCallOf(result, task.owner, dependencies);
    const callback = callbackOf?.(result, endOfTask(result.status) as TerminalTaskState);
    if (!(await settle(task, call, callback))) return null;
    announceResult({ result, owner: task.owner, manifest: manifestOf(task.toolName) }, { events, limits });
    return result;
  };

  /** Where nobody waits for the end: what cannot be stored now is tried again at the next looks. */
  const endQuietly = async (
    task: StoredTask,
    failure: Failure,
    status: 'error' | 'timeout' = 'error',
  ): Promise<void> => {
    try {
      await end(task, failedOutcome(failure, status));
      postponed.done(task.id);
    } catch (error) {
      loggerOf(task).error('task.not-ended', { fault: describeFault(error) });
      postponed.put(task.id, () => endQuietly(task, failure, status));
    }
  };

  const endOverdue = async (at: number): Promise<void> => {
    for (const task of await store.overdue(at, SWEPT_AT_ONCE)) {
      const timeoutMs = task.expiresAt - task.createdAt;
      await endQuietly(
        task,
        {
          code: 'TOOL_TIMEOUT',
          message: `the task did not end within ${timeoutMs} ms`,
          retryable: true,
          details: { limit: 'taskMs', timeoutMs },
        },
        'timeout',
      );
      running.stop(task.id);
    }
  };

  return {
    store,
    create: (task) => store.create(task),
    underway: running.underway,
    adopt: (task, work) => {
      running.adopt(task, work, (failure) => endQuietly(task, failure));
      // It may have been ended between its acceptance and now.
      void running.stopEnded([task.id]).catch((error: unknown) => {
        loggerOf(task).warn('task.not-looked-at', { fault: describeFault(error) });
      });
    },
    accept: async (task, call) => {
      const said = call.result.task;
      const state = said?.state as OpenTaskState;
      const progress = said?.progress ?? null;
      await calls.saveCall({ ...call, acceptance: { taskId: task.id, state, progress, at: clock.now() } });
      try {
        const now = await store.get(task.id);
        if (now === null || isTerminal(now.state)) return;
        loggerOf(task).info('task.accepted', { state: now.state, resultId: call.result.id });
        tell.state(task, now.state, now.progress, null);
      } catch (error) {
        // It is kept all the same; only nobody was told of it now.
        loggerOf(task).warn('task.not-looked-at', { fault: describeFault(error) });
      }
    },
    settle,
    end,
    endedWith: async (taskId) => {
      const resultId = (await store.get(taskId))?.resultId ?? null;
      return resultId === null ? null : ((await calls.getResult(resultId))?.result ?? null);
    },
    report: (task, report) => gate.tell(task.id, report, (newest) => void writeProgress(task, newest)),
    reportBy: async (task, report, callback) => {
      if (!gate.isOpen(task.id)) {
        gate.tell(task.id, report, (newest) => void writeProgress(task, newest));
        return true;
      }
      if (!(await store.advance(task.id, stepOf(report), callback))) return false;
      gate.tell(task.id, report, () => tell.progress(task, report));
      return true;
    },
    cancel: async (taskId, reason = null) => {
      const task = await store.get(taskId);
      if (task === null) return 'unknown';
      const message = `the task was cancelled${reason === null ? '' : `: ${reason}`}`;
      const cancelled = await end(task, failedOutcome({ code: 'TOOL_CANCELLED', message }, 'cancelled'));
      running.stop(taskId);
      return cancelled === null ? 'ended' : 'cancelled';
    },
    follow: followers.follow,
    sweep: async ({ mayEndTasks } = {}) => {
      await postponed.tryAgain();
      // Leave is given for the tasks that are overdue now: asking takes a while, in which others become so.
      const at = clock.now();
      const isFree = mayEndTasks === undefined || (await store.overdue(at, 1)).length === 0;
      if (isFree || (await mayEndTasks())) await endOverdue(at);
      await running.stopEnded();
      open = await store.countOpen();
      const now = clock.monotonic();
      if (now - forgottenAt < limits.callbackSkewMs) return;
      forgottenAt = now;
      while ((await store.forgetCallbacks(clock.now() - 2 * limits.callbackSkewMs, SWEPT_AT_ONCE)) >= SWEPT_AT_ONCE);
    },
    shutDown: async () => {
      await Promise.all(
        running.background().map(async ({ task, work }) => {
          await endQuietly(task, {
            code: 'TRANSPORT_FAILURE',
            message: 'the server was stopped before the task had ended; the tool may have acted',
            retryable: true,
          });
          work.stop();
        }),
      );
    },
  };
};
