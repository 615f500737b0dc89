import { buildCanonicalResult, type CallOutcome } from '../canonical/build-canonical-result.ts';
import { createDeadline, type Deadline } from '../lib/deadline.ts';
import { describeFault } from '../lib/describe-fault.ts';
import type { PluginParts } from '../policy/apply-policy.ts';
import { withCallerGiven } from '../policy/caller-given.ts';
import { classify, UNCLASSIFIED } from '../policy/classify.ts';
import type { CanonicalToolResult, PolicySummary } from '../protocol/canonical-tool-result.ts';
import { announceResult } from './announce-result.ts';
import { isOfRuntime } from './built-in/built-in-tools.ts';
import { failedOutcome, unknownTool } from './call-failure.ts';
import { createCallPipeline, type CallProgress } from './call-pipeline.ts';
import { callTimeout } from './call-timeout.ts';
import type { ExecuteRequest, ToolRuntimeDependencies } from './execute-request.ts';
import { createKeyedCalls, type KeyedOutcome, type KeyOfCall } from './keyed-calls.ts';
import { createCallObserver, type CallObservation } from './observe-call.ts';
import { recordCall } from './record-call.ts';
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
  /** Ends every call that runs now, because the server stops; each still gives its result. */
  cancelRunning(): void;
  /** Resolves when no call runs any more: each has its result, and its result is stored. */
  idle(): Promise<void>;
  /** How many calls run and wait, by tool; tools that were never called are left out. */
  load(): readonly ToolLoad[];
};

export const createToolRuntime = (dependencies: ToolRuntimeDependencies): ToolRuntime => {
  const { registry, clock, ids, limits } = dependencies;
  const pipeline = createCallPipeline(dependencies);
  const observer = createCallObserver(dependencies.telemetry ?? noTelemetry(), dependencies.logger);
  const running = new Set<Deadline>();
  const unfinished = new Set<Promise<unknown>>();

  const run = async (request: ExecuteRequest, key: KeyOfCall | null): Promise<CanonicalToolResult> => {
    const startedAt = clock.now();
    const started = clock.monotonic();
    const { context, options } = request;
    const invocationId = key?.invocationId ?? ids.next('invocation');
    const requestId = context.requestId ?? ids.next('request');
    const plugin = registry.get(request.toolName);
    const timeoutMs = callTimeout(plugin, options, dependencies.limits);
    const deadline = createDeadline({ now: startedAt, timeoutMs, signal: context.signal });
    const cleaning: Promise<void>[] = [];
    const progress: CallProgress = { plugin, command: null, attempt: 1, hasRun: false };
    const observation = observer.begin({
      toolName: request.toolName,
      plugin,
      invocationId,
      requestId,
      trace: context.trace,
    });
    running.add(deadline);

    let outcome: CallOutcome;
    try {
      const call = { request, plugin, invocationId, requestId, deadline, timeoutMs, progress, cleaning, observation };
      outcome =
        context.refusal !== undefined
          ? failedOutcome({ code: 'FORBIDDEN', message: context.refusal })
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
    // What the caller said itself makes no result confidential.
    const { extensions } = outcome;
    outcome = {
      ...outcome,
      extensions: withCallerGiven(outcome.extensions, request.arguments, dependencies.knownPaths, {
        trusted: plugin !== null && isOfRuntime(plugin.manifest),
      }),
    };
    if (request.warnings !== undefined) outcome = { ...outcome, warnings: [...request.warnings, ...outcome.warnings] };

    const tool = {
      name: request.toolName.slice(0, 256).toWellFormed(),
      displayName: progress.plugin?.manifest.displayName ?? null,
      version: progress.plugin?.manifest.version ?? null,
      command: progress.command,
    };
    const actor = context.actor ?? null;
    const result = buildCanonicalResult(
      {
        id: ids.next('result'),
        tool,
        execution: {
          invocationId,
          requestId,
          // `options.record` can only tighten (§14.1), and a call is recorded already.
          recordId: ids.next('record'),
          startedAt: new Date(startedAt).toISOString(),
          finishedAt: new Date(Math.max(startedAt, clock.now())).toISOString(),
          durationMs: roundDuration(clock.monotonic() - started),
          timeoutMs: plugin === null ? null : timeoutMs,
          attempt: progress.attempt,
        },
        actor,
        origin: {
          source: context.source,
          nodeId: context.nodeId ?? null,
          serverId: dependencies.serverId,
          distributed: false,
          requestIp: context.requestIp ?? null,
        },
        policy: policyOf({ ...outcome, extensions, tool, actor }, observation),
      },
      outcome,
    );
    // A call that was refused before a tool heard of it did nothing, so its key is free for another try.
    const keptUntil = progress.hasRun ? clock.now() + limits.idempotencyMs : null;
    const settlement = key === null ? undefined : { key: key.key, keptUntil };
    const recorded = await observation.stage('store', () =>
      recordCall(result, context.owner, { ...dependencies, logger: observation.logger }, settlement),
    );
    // The directory of a call goes while its result is stored, and has gone when the answer leaves.
    await Promise.all(cleaning);
    observation.ended(recorded);
    announceResult(
      { result: recorded, owner: context.owner, manifest: progress.plugin?.manifest ?? null },
      dependencies,
    );
    return recorded;
  };

  const keyed = createKeyedCalls(dependencies, run);

  /** The tool has acted: whatever its answer does to the rules, there is a result. */
  const policyOf = (parts: PluginParts, { logger }: CallObservation): PolicySummary => {
    try {
      return classify(parts, dependencies.knownPaths);
    } catch (error) {
      logger.error('call.not-classified', { fault: describeFault(error) });
      return UNCLASSIFIED;
    }
  };

  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const call = work.finally(() => unfinished.delete(call));
    unfinished.add(call);
    return call;
  };

  return {
    execute: (request) => tracked(run(request, null)),
    executeKeyed: (request, key, onUnderway) => tracked(keyed.execute(request, key, onUnderway)),
    idle: async () => {
      while (unfinished.size > 0) await Promise.allSettled(unfinished);
    },
    load: pipeline.load,
    cancelRunning: () => {
      for (const deadline of running) deadline.shutDown();
      keyed.cancelWaiting();
    },
  };
};

/** Microseconds are enough, and never less than nothing. */
const roundDuration = (ms: number): number => Math.max(0, Math.round(ms * 1_000) / 1_000);
