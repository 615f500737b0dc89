import { withApprovalNote } from '../approval/describe-approval.ts';
import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import { createDeadline, type Deadline } from '../lib/deadline.ts';
import { describeFault } from '../lib/describe-fault.ts';
import { withCallerGiven } from '../policy/caller-given.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import { taskOfResult } from '../task/task-of-result.ts';
import { announceResult } from './announce-result.ts';
import { isOfRuntime } from './built-in/of-runtime.ts';
import { failedOutcome, unknownTool } from './call-failure.ts';
import { createApprovalDesk, type ApprovalDesk } from './approval-desk.ts';
import { createApprovalGate } from './approval-gate.ts';
import { createCallPipeline } from './call-pipeline.ts';
import type { CallProgress, CallRun } from './call-run.ts';
import { callTimeout } from './call-timeout.ts';
import type { ExecuteRequest, ToolRuntimeDependencies } from './execute-request.ts';
import { createKeyedCalls, type KeyedOutcome, type KeyOfCall } from './keyed-calls.ts';
import { createCallObserver } from './observe-call.ts';
import { recordCall } from './record-call.ts';
import { sealResult } from './seal-result.ts';
import { beginTask, callTaskOf } from './tasks/call-task.ts';
import type { ToolLoad } from './tool-places.ts';
import { noTelemetry } from './telemetry.ts';

export type ToolRuntime = {
  /** Runs a call to its end. Always resolves with a sealed result, whatever happened on the way (§6.4). */
  execute(request: ExecuteRequest): Promise<CanonicalToolResult>;
  /**
   * Runs a call under an idempotency key, at most once for the owner of the call and the key: later and concurrent
   * requests get the same result. Once begun, the call goes on when its caller leaves. A key has 1 to 255 characters of
   * printable ASCII. `onUnderway` is told once no refusal or stored result is at hand, so that the answer will take as
   * long as a call; it may be told again.
   */
  executeKeyed(request: ExecuteRequest, key: string, onUnderway?: () => void): Promise<KeyedOutcome>;
  /** What people decide of calls that need approval. */
  readonly approvals: ApprovalDesk;
  /** Answers every call that waits for its approval `accepted`, so that it goes on as a task when the server has stopped. */
  deferWaiting(): void;
  /** Ends every call that runs now, because the server stops; each still gives its result. */
  cancelRunning(): void;
  /** Resolves when no call runs any more: each has its result, and its result is stored. */
  idle(): Promise<void>;
  /** How many calls run and wait, by tool; tools that were never called are left out. */
  load(): readonly ToolLoad[];
};

export const createToolRuntime = (dependencies: ToolRuntimeDependencies): ToolRuntime => {
  const { registry, clock, ids, limits } = dependencies;
  // Servers may have the same name: what holds an approval is this process, in this life.
  const holder = `${dependencies.serverId} ${ids.next('request')}`;
  const gate = createApprovalGate(dependencies, holder);
  const pipeline = createCallPipeline(dependencies, gate);
  const observer = createCallObserver(dependencies.telemetry ?? noTelemetry(), dependencies.logger);
  const running = new Set<Deadline>();
  const unfinished = new Set<Promise<unknown>>();

  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const call = work.finally(() => unfinished.delete(call));
    unfinished.add(call);
    return call;
  };

  const behindAnswer = (work: Promise<unknown>): void => {
    void tracked(work);
    dependencies.keepAlive?.(work);
  };

  const run = async (request: ExecuteRequest, key: KeyOfCall | null): Promise<CanonicalToolResult> => {
    const startedAt = clock.now();
    const started = clock.monotonic();
    const { context, options } = request;
    const invocationId = key?.invocationId ?? request.task?.invocationId ?? ids.next('invocation');
    const requestId = request.task?.requestId ?? context.requestId ?? ids.next('request');
    const plugin = registry.get(request.toolName);
    const timeoutMs = callTimeout(plugin, options, dependencies.limits);
    const deadline = createDeadline({ now: startedAt, timeoutMs, signal: context.signal });
    const cleaning: Promise<void>[] = [];
    const progress: CallProgress = {
      plugin,
      command: null,
      attempt: 1,
      hasRun: false,
      isDetached: false,
      approval: null,
      grant: null,
      task: request.task === undefined ? null : callTaskOf(request.task, deadline.cancel, dependencies),
      background: null,
    };
    const observation = observer.begin({
      toolName: request.toolName,
      plugin,
      invocationId,
      requestId,
      trace: context.trace,
    });
    running.add(deadline);
    const approvalId = () => progress.grant?.id ?? null;
    const begun = { request, invocationId, requestId, startedAt, approvalId, cancel: deadline.cancel };
    const openTask: CallRun['openTask'] = async (served, command) =>
      (progress.task ??= await beginTask(begun, served, command, dependencies));

    let outcome: CallOutcome;
    try {
      const call = {
        request,
        plugin,
        invocationId,
        requestId,
        deadline,
        timeoutMs,
        progress,
        openTask,
        cleaning,
        observation,
      };
      if (request.task !== undefined) {
        const ended = await startTask(request.task, dependencies);
        if (ended !== null) {
          progress.task?.leave();
          observation.ended(ended);
          return ended;
        }
      }
      outcome =
        context.refusal !== undefined
          ? failedOutcome({ code: 'FORBIDDEN', message: context.refusal })
          : request.approved !== undefined
            ? await pipeline.runHeld(call, request.approved)
            : plugin === null
              ? failedOutcome(unknownTool(request.toolName, registry, context.isOffered ?? (() => true)))
              : await pipeline.run(call);
    } catch (error) {
      observation.logger.error('call.fault', { fault: describeFault(error) });
      outcome = failedOutcome({
        code: 'INTERNAL_ERROR',
        message: 'the runtime met a fault of its own; its log has the details',
      });
    } finally {
      deadline.dispose();
      running.delete(deadline);
    }
    const { task, background } = progress;
    // What the caller said itself makes no result confidential.
    outcome = {
      ...outcome,
      task: task === null ? outcome.task : taskOfResult(task.stored, outcome.status, outcome.task),
      extensions: withCallerGiven(
        withApprovalNote(outcome.extensions, progress.approval),
        request.arguments,
        dependencies.knownPaths,
        { trusted: plugin !== null && isOfRuntime(plugin.manifest) },
      ),
    };
    if (request.warnings !== undefined) outcome = { ...outcome, warnings: [...request.warnings, ...outcome.warnings] };

    const result = sealResult(
      outcome,
      {
        tool: {
          name: request.toolName.slice(0, 256).toWellFormed(),
          displayName: progress.plugin?.manifest.displayName ?? null,
          version: progress.plugin?.manifest.version ?? null,
          command: progress.command,
        },
        invocationId,
        requestId,
        startedAt,
        durationMs: clock.monotonic() - started,
        timeoutMs: plugin === null ? null : timeoutMs,
        attempt: progress.attempt,
        actor: context.actor ?? null,
        source: context.source,
        nodeId: context.nodeId ?? null,
        requestIp: context.requestIp ?? null,
      },
      { ...dependencies, logger: observation.logger },
    );
    // A call that was refused before a tool heard of it did nothing, so its key is free for another try.
    const isTaken = progress.hasRun || outcome.status === 'accepted';
    const keptUntil = isTaken ? clock.now() + limits.idempotencyMs : null;
    const settlement = key === null ? undefined : { key: key.key, keptUntil };
    const recorded = await observation.stage('store', async () => {
      const kept = await recordCall(
        result,
        context.owner,
        { ...dependencies, logger: observation.logger },
        settlement,
        task?.save,
      );
      // A callback, or whoever cancelled the task, was first: that is what came of the call.
      return kept ?? (await task?.endedWith().catch(() => null)) ?? result;
    });
    await noteResult(dependencies, progress, recorded);
    if (background !== null) {
      task?.adopt(background);
      dependencies.keepAlive?.(background.ended);
    } else task?.leave();
    // The directory of a call goes while its result is stored, and has gone when the answer leaves.
    await Promise.all(cleaning);
    observation.ended(recorded);
    // One that came by another way was announced there.
    if (recorded.id === result.id) {
      const { manifest = null } = progress.plugin ?? {};
      announceResult({ result: recorded, owner: context.owner, manifest }, dependencies);
    }
    if (progress.isDetached && task !== null) behindAnswer(run(goingOn(request, task.stored), null));
    return recorded;
  };

  const keyed = createKeyedCalls(dependencies, run);
  const desk = createApprovalDesk(dependencies, {
    holder,
    gate,
    run: (request) => run(request, null),
    track: behindAnswer,
  });

  return {
    execute: (request) => tracked(run(request, null)),
    executeKeyed: (request, key, onUnderway) => tracked(keyed.execute(request, key, onUnderway)),
    idle: async () => {
      while (unfinished.size > 0) await Promise.allSettled(unfinished);
    },
    load: pipeline.load,
    approvals: { decide: (id, decision) => tracked(desk.decide(id, decision)), attend: () => tracked(desk.attend()) },
    deferWaiting: gate.deferWaiting,
    cancelRunning: () => {
      for (const deadline of running) deadline.shutDown();
      keyed.cancelWaiting();
    },
  };
};

/** A call that was answered, without the caller that has left. */
const goingOn = (request: ExecuteRequest, task: StoredTask): ExecuteRequest => {
  const { signal: _signal, onProgress: _progress, onApproval: _approval, ...context } = request.context;
  return { ...request, respondAsync: false, context, task };
};

/** Lets an approval say what its call came to; the call has its result, whether that can be noted or not. */
const noteResult = async (
  { approvals, logger }: Pick<ToolRuntimeDependencies, 'approvals' | 'logger'>,
  { approval, grant }: CallProgress,
  result: CanonicalToolResult,
): Promise<void> => {
  if (approval === null || approval.id === null) return;
  // Where the call itself has not begun, its result only says that it goes on.
  if (result.status === 'accepted' && grant === null) return;
  await approvals.settle(approval.id, result.id).catch((error: unknown) => {
    logger.warn('approval.not-settled', { approvalId: approval.id, fault: describeFault(error) });
  });
};

/** The result of a task that a call would carry out and that has ended already; null when the call may begin. */
const startTask = async (
  { id }: StoredTask,
  { tasks, clock }: Pick<ToolRuntimeDependencies, 'tasks' | 'clock'>,
): Promise<CanonicalToolResult | null> =>
  (await tasks.store.advance(id, { to: 'running', at: clock.now() })) ? null : await tasks.endedWith(id);
