import { failureOfApproval, failureOfRule } from '../approval/approval-failure.ts';
import { bindApproval, digestOfPlugin } from '../approval/bind-approval.ts';
import { noteOfApproval, summariseApproval } from '../approval/describe-approval.ts';
import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import { describeFault } from '../lib/describe-fault.ts';
import type { ApprovalHeader, HeldResource, StoredApproval } from '../ports/approval-store.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { ApprovalDemand } from '../protocol/approval.ts';
import type { CommandDefinition, PluginDefinition } from '../registry/plugin-definition.ts';
import { acceptedOutcome } from './accepted-outcome.ts';
import { approvalVerdict } from './approval-demand.ts';
import { createApprovalSignals } from './approval-signals.ts';
import { failedOutcome, failureOfFault } from './call-failure.ts';
import type { CallRun, GivenArguments } from './call-run.ts';
import type { ToolRuntimeDependencies } from './execute-request.ts';
import { tellOfApproval } from './tell-of-approval.ts';
import { newDeferredTask } from './deferred-task.ts';
import { callTaskOf } from './tasks/call-task.ts';

export type ApprovalGate = {
  /** Null when the call may be made now; else what it came to. A caller's time does not run while it waits here. */
  pass(
    call: CallRun,
    plugin: PluginDefinition,
    command: CommandDefinition,
    given: GivenArguments,
  ): Promise<CallOutcome | null>;
  /** An approval was decided in this process: whoever waits for it looks at once. */
  wake(approvalId: string): void;
  /** Every call that waits is answered `accepted` and goes on as a task, because the server stops. */
  deferWaiting(): void;
};

const CALLER_LEFT = 'its caller left';
/** Milliseconds between two looks at an approval that another process may have decided. */
const LOOK_MS = 500;
/** Signs of life within one lease, so that one may come late or be lost. */
const SIGNS_PER_LEASE = 3;

/**
 * Where calls wait for a person's approval. `holder` names this process among all that share the store. Nothing passes
 * that was not consumed in the store in one step: what cannot be asked there is not run.
 */
export const createApprovalGate = (dependencies: ToolRuntimeDependencies, holder: string): ApprovalGate => {
  const { approvals, tasks, clock, ids, limits, events } = dependencies;
  const signals = createApprovalSignals();
  let isClosing = false;

  const pass: ApprovalGate['pass'] = async (call, plugin, command, given) => {
    const { request, progress } = call;
    const verdict = approvalVerdict(request, command.command, dependencies);
    if (verdict.kind === 'free') return await detach(call, command);
    if (verdict.kind === 'reject') {
      const { reason } = verdict;
      progress.approval = {
        id: null,
        state: 'rejected',
        requiredBy: { by: 'rule', reason },
        decidedBy: null,
        decidedAt: new Date(clock.now()).toISOString(),
        reason,
      };
      return failedOutcome(failureOfRule(reason));
    }
    const approval = await ask(call, plugin, command, given, verdict.requiredBy);
    if (approval === null) {
      return failedOutcome({
        code: 'VCP.OVERLOADED',
        message: `${limits.pendingApprovals} calls of this key wait for approval already; try again when some are decided`,
        retryable: true,
      });
    }
    return await call.observation.stage('approval', () => awaitDecision(call, command, approval));
  };

  /** A call that nobody waits for is answered before it begins; one that has a task is answered already. */
  const detach = async (call: CallRun, command: CommandDefinition): Promise<CallOutcome | null> => {
    const { request, progress } = call;
    if (request.respondAsync !== true || request.task !== undefined) return null;
    progress.isDetached = true;
    return acceptedOutcome(await deferTo(call, command, null), null, limits);
  };

  /** The task that the call goes on as: that of its request, or a new one. */
  const deferTo = async (
    call: CallRun,
    command: CommandDefinition,
    approval: ApprovalHeader | null,
  ): Promise<StoredTask> => {
    const { progress, deadline } = call;
    if (progress.task !== null) return progress.task.stored;
    const task = newDeferredTask(call, command, approval, dependencies);
    await tasks.create(task);
    progress.task = callTaskOf(task, deadline.cancel, dependencies);
    return task;
  };

  /** Writes down what the call would do, and tells who may decide; null when too many wait already. */
  const ask = async (
    { request, invocationId, requestId, observation }: CallRun,
    plugin: PluginDefinition,
    { command }: CommandDefinition,
    given: GivenArguments,
    requiredBy: ApprovalDemand,
  ): Promise<StoredApproval | null> => {
    const { context, options, warnings = [] } = request;
    const actor = context.actor ?? null;
    const conversation = context.conversation ?? null;
    const resources = [...given.inputs.values()].map(({ descriptor }): HeldResource => {
      const { id, fileName, mimeType, sizeBytes, sha256 } = descriptor;
      return { id, fileName, mimeType, sizeBytes, sha256 };
    });
    const commandName = command.commandIdentifier;
    const createdAt = clock.now();
    const approval: StoredApproval = {
      id: ids.next('approval'),
      owner: context.owner,
      state: 'pending',
      requiredBy,
      toolName: plugin.manifest.name,
      displayName: plugin.manifest.displayName,
      pluginVersion: plugin.manifest.version,
      pluginDigest: await digestOfPlugin(plugin),
      command: commandName,
      actor,
      source: context.source,
      hash: await bindApproval({
        plugin,
        command: commandName,
        arguments: given.arguments,
        resources,
        conversation,
        actor,
      }),
      invocationId,
      requestId,
      createdAt,
      expiresAt: createdAt + limits.approvalMs,
      decidedAt: null,
      decidedBy: null,
      reason: null,
      taskId: null,
      heldBy: holder,
      leaseUntil: createdAt + limits.approvalLeaseMs,
      ranAt: null,
      resultId: null,
      call: {
        arguments: given.arguments,
        resources,
        conversation,
        requestIp: context.requestIp ?? null,
        nodeId: context.nodeId ?? null,
        timeoutMs: options?.timeoutMs ?? null,
        warnings,
      },
    };
    if (!(await approvals.create(approval, limits.pendingApprovals))) return null;
    observation.logger.info('approval.asked', { approvalId: approval.id, by: requiredBy.by });
    tellOfApproval(events, approval);
    context.onApproval?.(summariseApproval(approval));
    return approval;
  };

  const awaitDecision = async (
    call: CallRun,
    command: CommandDefinition,
    approval: StoredApproval,
  ): Promise<CallOutcome | null> => {
    const { deadline } = call;
    deadline.hold(clock.now());
    try {
      return await settled(call, command, approval);
    } finally {
      deadline.resume(clock.now());
    }
  };

  const settled = async (
    call: CallRun,
    command: CommandDefinition,
    approval: StoredApproval,
  ): Promise<CallOutcome | null> => {
    const { deadline, progress, request } = call;
    const { id, hash } = approval;
    const patience = Math.min(request.approvalWaitMs ?? limits.approvalWaitMs, limits.approvalWaitMs);
    const answerBy = approval.createdAt + patience;
    let seen: ApprovalHeader = approval;
    let signedAt = approval.createdAt;
    for (;;) {
      const now = clock.now();
      progress.approval = noteOfApproval(seen);
      if (seen.state === 'approved') {
        const use = { by: holder, hash, at: now, leaseUntil: now + limits.approvalLeaseMs };
        if (!deadline.signal.aborted && (await approvals.consume(id, use))) {
          progress.grant = { ...seen, ranAt: now };
          return null;
        }
      } else if (seen.state !== 'pending') return failedOutcome(failureOfApproval(seen));

      if (deadline.signal.aborted && !deadline.isShutDown()) {
        await end(id, 'cancelled', CALLER_LEFT);
        progress.approval = { ...noteOfApproval(seen), state: 'cancelled', reason: CALLER_LEFT };
        return failedOutcome(...failureOfFault(deadline.signal.reason, deadline, call.timeoutMs));
      }
      if (seen.expiresAt <= now) await end(id, 'expired', null);
      else if (isClosing || deadline.signal.aborted || now >= answerBy) return await defer(call, command, seen);
      else await signals.wait(id, Math.min(LOOK_MS, seen.expiresAt - now, answerBy - now), deadline.signal);

      if (clock.now() - signedAt >= limits.approvalLeaseMs / SIGNS_PER_LEASE) {
        signedAt = clock.now();
        await tried(call, () =>
          approvals.hold(id, { by: holder, at: signedAt, leaseUntil: signedAt + limits.approvalLeaseMs }),
        );
      }
      seen = (await tried(call, () => approvals.look(id))) ?? seen;
    }
  };

  /** A store that fails for a moment is asked again: the approval is there still. */
  const tried = async <T>({ observation }: CallRun, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      observation.logger.warn('approval.not-read', { fault: describeFault(error) });
      return null;
    }
  };

  const end = async (id: string, state: 'expired' | 'cancelled', reason: string | null): Promise<void> => {
    if (!(await approvals.end(id, { state, reason, at: clock.now() }))) return;
    const ended = await approvals.look(id);
    if (ended !== null) tellOfApproval(events, ended);
  };

  /** From here on the call is nobody's in particular: whichever server sees the decision goes on with it. */
  const defer = async (call: CallRun, command: CommandDefinition, approval: ApprovalHeader): Promise<CallOutcome> => {
    const task = await deferTo(call, command, approval);
    if (!(await approvals.defer(approval.id, task.id))) throw new Error(`${approval.id} cannot go on as a task`);
    call.observation.logger.info('approval.deferred', { approvalId: approval.id, taskId: task.id });
    return acceptedOutcome(task, approval, limits);
  };

  return {
    pass,
    wake: signals.wake,
    deferWaiting: () => {
      isClosing = true;
      signals.wakeAll();
    },
  };
};
