import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import { noteOfApproval } from '../approval/describe-approval.ts';
import { checkJsonValue } from '../lib/check-json-value.ts';
import { describeFault } from '../lib/describe-fault.ts';
import { shortPointer } from '../lib/json-pointer.ts';
import type { ApprovalHeader, StoredApproval } from '../ports/approval-store.ts';
import {
  CallStopped,
  TransportError,
  type BackgroundWork,
  type InputResource,
  type TransportAdapter,
  type TransportReply,
} from '../ports/transport.ts';
import type { ProgressEvent } from '../protocol/progress-event.ts';
import { ProgressReport } from '../protocol/stdio-frame.ts';
import type { CommandDefinition, PluginDefinition } from '../registry/plugin-definition.ts';
import { resolveInputs } from '../resources/resolve-inputs.ts';
import { selectTransport } from '../transport/select-transport.ts';
import { resolveCommand } from '../validate/resolve-command.ts';
import { validateArguments } from '../validate/validate-arguments.ts';
import type { ApprovalGate } from './approval-gate.ts';
import { givenOfHeld, readyForApproved } from './approved-call.ts';
import { acceptPayload } from './accept-payload.ts';
import { failedOutcome, failureOfFault, logFieldsOfFailure, unknownTool } from './call-failure.ts';
import type { CallRun, GivenArguments } from './call-run.ts';
import { createCallScope, type CallScope } from './call-scope.ts';
import type { ToolRuntimeDependencies } from './execute-request.ts';
import { isTransientError, isTransientFault, runAttempts, type Attempt } from './run-attempts.ts';
import type { CallTask } from './tasks/call-task.ts';
import { finishSafely } from './tasks/finish-safely.ts';
import { createToolPlaces, type ToolLoad } from './tool-places.ts';

export type CallPipeline = {
  /** The stages that a call passes, from its name to its outcome. */
  run(call: CallRun): Promise<CallOutcome>;
  /** The rest of them, for a call that was held until its approval was used. */
  runHeld(call: CallRun, approval: StoredApproval): Promise<CallOutcome>;
  load(): readonly ToolLoad[];
};

/** Puts the stages together. Faults that are nobody's but ours are thrown. */
export const createCallPipeline = (dependencies: ToolRuntimeDependencies, gate: ApprovalGate): CallPipeline => {
  const { registry, limits } = dependencies;
  const places = createToolPlaces(registry, limits);

  /** A call that had to wait runs on the version that is served when its turn comes, checked against that one. */
  const run = async (call: CallRun): Promise<CallOutcome> =>
    (await runOn(call)) ?? (await run({ ...call, plugin: registry.get(call.request.toolName) }));

  const runHeld: CallPipeline['runHeld'] = async (call, approval) => {
    call.progress.approval = noteOfApproval(approval);
    call.progress.grant = approval;
    const held = await givenOfHeld(approval.call, dependencies);
    if (!held.ok) return failedOutcome(held.failure);
    call.observation.accepted(approval.call.arguments);
    return await runApproved(call, held.given, approval);
  };

  /** What was approved runs as that and on nothing else, whatever has become of its plugin since. */
  const runApproved = async (call: CallRun, given: GivenArguments, grant: ApprovalHeader): Promise<CallOutcome> => {
    const { progress } = call;
    const { conversation = null } = call.request.context;
    const ready = await readyForApproved(grant, { ...given, conversation }, dependencies);
    if (!ready.ok) return failedOutcome(ready.failure);
    progress.plugin = ready.plugin;
    progress.command = grant.command;
    return (await deliver(call, ready.plugin, ready.command, given)) ?? (await runApproved(call, given, grant));
  };

  /** Null when the plugin was replaced before the call could start. */
  const runOn = async (call: CallRun): Promise<CallOutcome | null> => {
    const { request, plugin, progress } = call;
    progress.plugin = plugin;
    if (plugin === null) return failedOutcome(unknownTool(request.toolName, registry));
    if (!plugin.enabled) {
      return failedOutcome({
        code: 'TOOL_DISABLED',
        message: `${plugin.manifest.name} is switched off on this server`,
      });
    }
    const malformed = checkJsonValue(request.arguments, limits);
    if (malformed !== null) {
      return failedOutcome({
        code: 'INVALID_ARGUMENT',
        message: `arguments at ${shortPointer(malformed.pointer) || '(root)'}: ${malformed.message}`,
        details: { pointer: shortPointer(malformed.pointer) },
      });
    }
    call.observation.accepted(request.arguments);
    const resolved = resolveCommand(plugin, request.arguments);
    if (!resolved.ok) return failedOutcome(resolved.failure);
    const { command } = resolved;
    progress.command = command.command.commandIdentifier;
    const checked = validateArguments(command, request.arguments, limits.reportedIssues);
    if (!checked.ok) return failedOutcome(checked.failure);
    const { owner, maySee = () => false } = request.context;
    const resolvedInputs = command.takesResources
      ? await resolveInputs(
          command.command.inputSchema,
          checked.arguments,
          { owner, maySee: (other) => other === owner || maySee(other) },
          dependencies,
        )
      : { ok: true as const, arguments: checked.arguments, inputs: NO_INPUTS };
    if (!resolvedInputs.ok) return failedOutcome(resolvedInputs.failure);
    const { inputs } = resolvedInputs;
    const given = { arguments: resolvedInputs.arguments, inputs };
    const refused = await gate.pass(call, plugin, command, given);
    if (refused !== null) return refused;
    if (progress.grant !== null) return await runApproved(call, given, progress.grant);
    return await deliver(call, plugin, command, given);
  };

  /** Transport, payload, resources, output: the part of the pipeline that has a plugin behind it. */
  const deliver = async (
    call: CallRun,
    plugin: PluginDefinition,
    command: CommandDefinition,
    given: GivenArguments,
  ): Promise<CallOutcome | null> => {
    const transport = selectTransport(dependencies.transports, plugin.manifest);
    if (transport === null) {
      return failedOutcome({
        code: 'TRANSPORT_FAILURE',
        message: `this server cannot run plugins of protocol "${plugin.manifest.communication.protocol}"`,
      });
    }
    const delivery: Delivery = { transport, plugin, command, given, reportProgress: progressSink(call) };
    const { deadline, timeoutMs, progress, observation } = call;
    return await runAttempts(
      {
        deadline,
        timeoutMs,
        most: command.command.idempotent ? limits.callAttempts : 1,
      },
      (number) => {
        progress.attempt = number;
        return attempt(call, delivery, number);
      },
      { ...dependencies, logger: observation.logger },
    );
  };

  /** One attempt (null as above), with a place of its tool and a scope of its own: nothing of a failed one is left for the next. */
  const attempt = async (call: CallRun, delivery: Delivery, number: number): Promise<Attempt | null> => {
    const { transport, plugin, command, given, reportProgress } = delivery;
    const { observation, deadline } = call;
    const scope = createCallScope(
      scopeName(call.invocationId, number),
      plugin,
      { owner: call.request.context.owner, args: given.arguments, inputs: given.inputs },
      dependencies,
    );
    let release: (() => void) | null = null;
    // A module that does not heed its signal goes on after its call has ended; until it ends it keeps its place.
    let straggler: Promise<unknown> | null = null;
    let background: BackgroundWork | null = null;
    let isOffered = false;
    try {
      release = await observation.stage('queue', () => places.enter(plugin, deadline.signal));
      if (registry.get(plugin.manifest.name) !== plugin) return null;
      const task = isAsynchronous(plugin, command) ? await call.openTask(plugin, command) : null;
      const finish = (payload: unknown) =>
        finishSafely(observation.logger, (task as CallTask).stored, payload, { scope: scope.resources }, dependencies);
      const told = (await task?.given(finish)) ?? null;
      isOffered = true;
      const reply = await observation.stage('transport', () =>
        transport.execute({
          plugin,
          command: command.command,
          arguments: given.arguments,
          inputResources: given.inputs,
          invocationId: call.invocationId,
          requestId: call.requestId,
          source: call.request.context.source,
          actor: call.request.context.actor ?? null,
          requestIp: call.request.context.requestIp ?? null,
          conversation: call.request.context.conversation ?? null,
          owner: call.request.context.owner,
          deadline: deadline.at,
          signal: deadline.signal,
          resourceWriter: scope.writer,
          resourceReader: scope.reader,
          resourceDirectory: scope.resources.directory,
          task: told,
          reportProgress,
        }),
      );
      call.progress.hasRun = true;
      const made = await accept(reply, delivery, scope, call);
      if (made.outcome.status === 'accepted') background = reply.background ?? null;
      else reply.background?.stop();
      call.progress.background = background;
      return made;
    } catch (error) {
      const isUndelivered = error instanceof TransportError && !error.isDelivered;
      if (isOffered && !isUndelivered) call.progress.hasRun = true;
      if (error instanceof CallStopped) straggler = error.work;
      const failure = failureOfFault(error, deadline, call.timeoutMs);
      const level = failure[1] === 'cancelled' ? 'info' : 'warn';
      observation.logger[level]('call.broken-off', logFieldsOfFailure(...failure));
      return { outcome: failedOutcome(...failure), isTransient: isTransientFault(error) };
    } finally {
      const free = release ?? (() => undefined);
      const goesOn = straggler ?? background?.ended ?? null;
      if (goesOn === null) free();
      else goesOn.then(free, free);
      // The call has its outcome; what cannot be cleaned up must not take it away, and nothing has to wait for it.
      const clean = () =>
        scope.close().catch((error: unknown) => {
          observation.logger.error('call.not-cleaned', { fault: describeFault(error) });
        });
      // What works on in the background works in the call's directory.
      if (background === null) call.cleaning.push(clean());
      else void background.ended.then(clean);
    }
  };

  /** Progress is the plugin's word and may come at any rate: what is not a report, or too much, is dropped. */
  const progressSink = ({ invocationId, requestId, request, observation, progress }: CallRun) => {
    let left = limits.progressFrames;
    return (report: ProgressReport) => {
      const { task } = progress;
      const isWithin = left > 0;
      if (!isWithin && task === null) return;
      if (isWithin) left -= 1;
      const checked = ProgressReport.safeParse(report);
      if (!checked.success) return;
      observation.logger.debug('call.progress', { progress: checked.data.progress });
      const taskId = task?.stored.id ?? null;
      const event: ProgressEvent = { type: 'vcp_info', invocationId, taskId, ...checked.data };
      if (task !== null) {
        dependencies.tasks.report(task.stored, checked.data);
      } else {
        dependencies.events.emit(
          { ...event, requestId, toolName: request.toolName },
          { audience: { to: 'owner', owner: request.context.owner } },
        );
      }
      // Behind an `accepted`, whoever called has the answer already.
      if (isWithin && progress.background === null) request.context.onProgress?.(event);
    };
  };

  const accept = async (
    reply: TransportReply,
    { plugin, command }: Pick<Delivery, 'plugin' | 'command'>,
    scope: CallScope,
    call: CallRun,
  ): Promise<Attempt> => {
    const accepted = await acceptPayload(
      {
        reply,
        command,
        expected: {
          pluginType: plugin.manifest.pluginType,
          async: command.command.async,
          taskId: call.progress.task?.stored.id ?? null,
        },
        scope: scope.resources,
        signal: call.deadline.signal,
      },
      dependencies,
      call.observation,
    );
    if (!accepted.ok) return { outcome: failedOutcome(accepted.failure), isTransient: false };
    const { outcome } = accepted;
    return { outcome, isTransient: isTransientError(outcome.status, outcome.error) };
  };

  return { run, runHeld, load: places.load };
};

const NO_INPUTS: ReadonlyMap<string, InputResource> = new Map();

/** What every attempt of a call is made with. */
type Delivery = {
  readonly transport: TransportAdapter;
  readonly plugin: PluginDefinition;
  readonly command: CommandDefinition;
  readonly given: GivenArguments;
  readonly reportProgress: (report: ProgressReport) => void;
};

/** Whether a call of this command has a task, so that it may be answered later. */
const isAsynchronous = ({ manifest }: PluginDefinition, { command }: CommandDefinition): boolean =>
  command.async || manifest.pluginType === 'asynchronous';

/** Each attempt has its own directory, also where that of the one before could not be removed. */
const scopeName = (invocationId: string, attempt: number): string =>
  attempt === 1 ? invocationId : `${invocationId}-${attempt}`;
