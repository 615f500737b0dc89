import { buildCanonicalResult, type CallOutcome } from '../canonical/build-canonical-result.ts';
import { toolErrorOfFailure, toolErrorOfPlugin } from '../canonical/tool-error.ts';
import { checkJsonValue } from '../lib/check-json-value.ts';
import { createDeadline, type Deadline } from '../lib/deadline.ts';
import type { Failure } from '../lib/failure.ts';
import { shortPointer } from '../lib/json-pointer.ts';
import type { Limits } from '../lib/limits.ts';
import { createSemaphore, QueueFull, type Semaphore } from '../lib/semaphore.ts';
import { suggestName } from '../lib/suggest.ts';
import { classify, UNCLASSIFIED } from '../policy/classify.ts';
import type { CallStore } from '../ports/call-store.ts';
import type { CallWorkspace } from '../ports/call-workspace.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Logger } from '../ports/logger.ts';
import { CallStopped, TransportError, type TransportReply } from '../ports/transport.ts';
import type { CanonicalToolResult, PolicySummary } from '../protocol/canonical-tool-result.ts';
import type { Actor, InvocationOptions, InvocationSource } from '../protocol/invocation.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { ProgressReport } from '../protocol/stdio-frame.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { Warning } from '../protocol/warning.ts';
import type { CommandDefinition, PluginDefinition } from '../registry/plugin-definition.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import { publishResources } from '../resources/publish-resources.ts';
import type { ResourceDependencies } from '../resources/resource-context.ts';
import { selectTransport, type Transports } from '../transport/select-transport.ts';
import { resolveCommand } from '../validate/resolve-command.ts';
import { validateArguments } from '../validate/validate-arguments.ts';
import { validateOutput } from '../validate/validate-output.ts';
import { validatePayload } from '../validate/validate-payload.ts';
import { createCallScope, type CallScope } from './call-scope.ts';
import { recordCall } from './record-call.ts';

/** A call (§14.1). `owner` is who may read its result later; `signal` cancels it. */
export type ExecuteRequest = {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly context: {
    readonly source: InvocationSource;
    readonly actor?: Actor | null;
    readonly requestIp?: string | null;
    readonly nodeId?: string | null;
    readonly requestId?: string;
    readonly signal?: AbortSignal;
    readonly owner: string;
  };
  readonly options?: InvocationOptions;
  /** What was noticed before the call, to stand among the warnings of its result. */
  readonly warnings?: readonly Warning[];
};

export type ToolRuntimeDependencies = {
  readonly registry: ToolRegistry;
  readonly transports: Transports;
  readonly resources: ResourceDependencies;
  readonly calls: CallStore;
  readonly workspace: CallWorkspace;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly serverId: string;
  /** Absolute directories of this host that no redacted text may show. */
  readonly knownPaths: readonly string[];
};

export type ToolRuntime = {
  /** Runs a call to its end. Always resolves with a sealed result, whatever happened on the way (§6.4). */
  execute(request: ExecuteRequest): Promise<CanonicalToolResult>;
  /** Cancels every call that runs now; each still gives its result. */
  cancelRunning(): void;
  /** Resolves when no call runs any more: each has its result, and its result is stored. */
  idle(): Promise<void>;
};

/** What a stage on the way found wrong, or the outcome when the call came through. */
type Outcome = CallOutcome;

export const createToolRuntime = (dependencies: ToolRuntimeDependencies): ToolRuntime => {
  const { registry, clock, ids, limits, logger } = dependencies;
  const places = new Map<string, Semaphore>();
  const running = new Set<Deadline>();

  const placesOf = (plugin: PluginDefinition): Semaphore => {
    const { name, communication } = plugin.manifest;
    const known = places.get(name);
    if (known !== undefined) return known;
    const usual = communication.protocol === 'stdio' ? limits.stdioConcurrency : limits.directConcurrency;
    const created = createSemaphore(communication.concurrency ?? usual, limits.queuedCalls);
    places.set(name, created);
    return created;
  };

  const execute = async (request: ExecuteRequest): Promise<CanonicalToolResult> => {
    const startedAt = clock.now();
    const started = clock.monotonic();
    const { context, options } = request;
    const invocationId = ids.next('invocation');
    const requestId = context.requestId ?? ids.next('request');
    const plugin = registry.get(request.toolName);
    const timeoutMs = timeoutOf(plugin, options);
    const deadline = createDeadline({ now: startedAt, timeoutMs, signal: context.signal });
    const progress = { command: null as string | null };
    running.add(deadline);

    let outcome: Outcome;
    try {
      outcome = await run({ request, plugin, invocationId, requestId, deadline, progress });
    } catch (error) {
      logger.error('call.fault', { invocationId, requestId, toolName: request.toolName, fault: describeFault(error) });
      outcome = failed({
        code: 'INTERNAL_ERROR',
        message: 'the runtime met a fault of its own; its log has the details',
      });
    } finally {
      deadline.dispose();
      running.delete(deadline);
    }
    if (request.warnings !== undefined) outcome = { ...outcome, warnings: [...request.warnings, ...outcome.warnings] };

    const result = buildCanonicalResult(
      {
        id: ids.next('result'),
        tool: {
          name: request.toolName.slice(0, 256).toWellFormed(),
          displayName: plugin?.manifest.displayName ?? null,
          version: plugin?.manifest.version ?? null,
          command: progress.command,
        },
        execution: {
          invocationId,
          requestId,
          // `options.record` can only tighten (§14.1), and a call is recorded already.
          recordId: ids.next('record'),
          startedAt: new Date(startedAt).toISOString(),
          finishedAt: new Date(Math.max(startedAt, clock.now())).toISOString(),
          durationMs: roundDuration(clock.monotonic() - started),
          timeoutMs: plugin === null ? null : timeoutMs,
          attempt: 1,
        },
        actor: context.actor ?? null,
        origin: {
          source: context.source,
          nodeId: context.nodeId ?? null,
          serverId: dependencies.serverId,
          distributed: false,
          requestIp: context.requestIp ?? null,
        },
        policy: policyOf(outcome),
      },
      outcome,
    );
    return await recordCall(result, context.owner, dependencies);
  };

  /** The tool has acted: whatever its answer does to the rules, there is a result. */
  const policyOf = (outcome: Outcome): PolicySummary => {
    try {
      return classify(outcome, dependencies.knownPaths);
    } catch (error) {
      logger.error('call.not-classified', { fault: describeFault(error) });
      return UNCLASSIFIED;
    }
  };

  type Run = {
    readonly request: ExecuteRequest;
    readonly plugin: PluginDefinition | null;
    readonly invocationId: string;
    readonly requestId: string;
    readonly deadline: Deadline;
    /** How far the call came; the result names the command as soon as it is known. */
    readonly progress: { command: string | null };
  };

  const run = async (call: Run): Promise<Outcome> => {
    const { request, plugin, progress } = call;
    if (plugin === null) return failed(unknownTool(request.toolName, registry));
    if (!plugin.manifest.enabled) {
      return failed({ code: 'TOOL_DISABLED', message: `${plugin.manifest.name} is switched off on this server` });
    }
    const malformed = checkJsonValue(request.arguments, limits);
    if (malformed !== null) {
      return failed({
        code: 'INVALID_ARGUMENT',
        message: `arguments at ${shortPointer(malformed.pointer) || '(root)'}: ${malformed.message}`,
        details: { pointer: shortPointer(malformed.pointer) },
      });
    }
    const resolved = resolveCommand(plugin, request.arguments);
    if (!resolved.ok) return failed(resolved.failure);
    const { command } = resolved;
    progress.command = command.command.commandIdentifier;
    const checked = validateArguments(command, request.arguments, limits.reportedIssues);
    if (!checked.ok) return failed(checked.failure);
    if (command.command.approval || request.options?.approval === true) {
      return failed({
        code: 'APPROVAL_REJECTED',
        message: 'this call needs approval, and this server has nobody to ask',
      });
    }
    return await deliver(call, plugin, command, checked.arguments);
  };

  /** Transport, payload, resources, output: the part of the pipeline that has a plugin behind it. */
  const deliver = async (
    call: Run,
    plugin: PluginDefinition,
    command: CommandDefinition,
    args: JsonObject,
  ): Promise<Outcome> => {
    const transport = selectTransport(dependencies.transports, plugin.manifest);
    if (transport === null) {
      return failed({
        code: 'TRANSPORT_FAILURE',
        message: `this server cannot run plugins of protocol "${plugin.manifest.communication.protocol}"`,
      });
    }
    const scope = createCallScope(call.invocationId, plugin, call.request.context.owner, dependencies);
    let release: (() => void) | null = null;
    // A module that does not heed its signal goes on after its call has ended; until it ends it keeps its place.
    let straggler: Promise<unknown> | null = null;
    try {
      release = await placesOf(plugin).acquire(call.deadline.signal);
      const reply = await transport.execute({
        plugin,
        command: command.command,
        arguments: args,
        invocationId: call.invocationId,
        requestId: call.requestId,
        source: call.request.context.source,
        actor: call.request.context.actor ?? null,
        requestIp: call.request.context.requestIp ?? null,
        deadline: call.deadline.at,
        signal: call.deadline.signal,
        resourceWriter: scope.writer,
        resourceDirectory: scope.resources.directory,
        reportProgress: progressSink(call.invocationId),
      });
      return await accept(reply, plugin, command, scope);
    } catch (error) {
      if (error instanceof CallStopped) straggler = error.work;
      return failed(...failureOf(error, call.deadline));
    } finally {
      const free = release ?? (() => undefined);
      if (straggler === null) free();
      else straggler.then(free, free);
      // The call has its outcome; what cannot be cleaned up must not take it away.
      await scope.close().catch((error: unknown) => {
        logger.error('call.not-cleaned', {
          invocationId: call.invocationId,
          requestId: call.requestId,
          toolName: call.request.toolName,
          fault: describeFault(error),
        });
      });
    }
  };

  /** Progress is the plugin's word and may come at any rate: what is not a report, or too much, is dropped. */
  const progressSink = (invocationId: string) => {
    let left = limits.progressFrames;
    return (report: ProgressReport) => {
      const checked = ProgressReport.safeParse(report);
      if (!checked.success || left === 0) return;
      left -= 1;
      dependencies.events.emit({ type: 'vcp_info', invocationId, taskId: null, ...checked.data });
    };
  };

  const accept = async (
    reply: TransportReply,
    plugin: PluginDefinition,
    command: CommandDefinition,
    scope: CallScope,
  ): Promise<Outcome> => {
    const validated = validatePayload(reply.payload, {
      pluginType: plugin.manifest.pluginType,
      async: command.command.async,
      reportedIssues: limits.reportedIssues,
    });
    if (!validated.ok) return failed(validated.failure);
    const { payload } = validated;
    const publication = await publishResources(payload, command.command, scope.resources, dependencies.resources);
    if (!publication.ok) return failed(publication.failure);
    const { published } = publication;
    const misfit = validateOutput(command, payload.status, published.data, limits.reportedIssues);
    if (misfit !== null) return failed(misfit);
    const reported = errorOf(payload, command);
    return {
      status: payload.status,
      data: published.data,
      resources: published.resources,
      warnings: [...payload.warnings, ...published.warnings, ...reply.warnings, ...reported.warnings],
      error: reported.error,
      task: payload.task,
      presentation: published.presentation,
      aiAdvice: published.aiAdvice,
      extensions: payload.extensions as JsonObject,
    };
  };

  const unfinished = new Set<Promise<unknown>>();

  return {
    execute: (request) => {
      const call = execute(request).finally(() => unfinished.delete(call));
      unfinished.add(call);
      return call;
    },
    idle: async () => {
      while (unfinished.size > 0) await Promise.allSettled(unfinished);
    },
    cancelRunning: () => {
      for (const deadline of running) deadline.cancel();
    },
  };
};

const timeoutOf = (plugin: PluginDefinition | null, options: InvocationOptions | undefined): number => {
  const allowed = plugin?.manifest.communication.timeoutMs ?? 60_000;
  // A caller may be less patient than the manifest, not more.
  return Math.min(options?.timeoutMs ?? allowed, allowed);
};

const errorOf = (payload: PluginResultPayload, command: CommandDefinition) =>
  payload.error === null
    ? { error: null, warnings: [] as readonly Warning[] }
    : toolErrorOfPlugin(payload.error, {
        cancelled: payload.status === 'cancelled',
        declaredErrorCodes: command.declaredErrorCodes,
      });

const failed = (failure: Failure, status: 'error' | 'timeout' | 'cancelled' = 'error'): Outcome => ({
  status,
  data: null,
  resources: [],
  warnings: [],
  error: toolErrorOfFailure(failure),
  task: null,
  presentation: null,
  aiAdvice: null,
  extensions: {},
});

/** What a fault on the way to a payload means for the caller. Faults that are nobody's but ours are thrown on. */
const failureOf = (error: unknown, deadline: Deadline): Parameters<typeof failed> => {
  const stopped =
    error instanceof CallStopped ? error.reason : error === deadline.signal.reason ? deadline.reason() : null;
  const seen: JsonValue = error instanceof CallStopped ? error.details : null;
  if (stopped === 'timeout') {
    const details = { limit: 'timeoutMs', ...(seen as JsonObject | null) };
    return [
      { code: 'TOOL_TIMEOUT', message: 'the tool did not answer before its deadline', retryable: true, details },
      'timeout',
    ];
  }
  if (stopped === 'cancelled')
    return [{ code: 'TOOL_CANCELLED', message: 'the call was cancelled', details: seen }, 'cancelled'];
  if (error instanceof QueueFull) {
    return [
      {
        code: 'VCP.OVERLOADED',
        message: `too many calls of this tool are waiting (${error.message}); try again later`,
        retryable: true,
      },
    ];
  }
  if (error instanceof TransportError) {
    const { code, message, details, retryable } = error;
    return [{ code, message, details, retryable }];
  }
  throw error;
};

const unknownTool = (toolName: string, registry: ToolRegistry): Failure => {
  const near = suggestName(
    toolName,
    registry.list().map((plugin) => plugin.manifest.name),
  );
  return {
    code: 'TOOL_NOT_FOUND',
    message: `there is no tool "${toolName.slice(0, 100)}"${near === null ? '; GET /v1/tools lists them' : `; did you mean "${near}"?`}`,
    target: 'tool',
    details: near === null ? null : { suggestion: near },
  };
};

/** Microseconds are enough, and never less than nothing. */
const roundDuration = (ms: number): number => Math.max(0, Math.round(ms * 1_000) / 1_000);

const describeFault = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
