import { buildCanonicalResult, type CallOutcome } from '../canonical/build-canonical-result.ts';
import { describeFault } from '../lib/describe-fault.ts';
import { classify, UNCLASSIFIED } from '../policy/classify.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Logger } from '../ports/logger.ts';
import type { CanonicalToolResult, PolicySummary, ToolIdentity } from '../protocol/canonical-tool-result.ts';
import type { Actor, InvocationSource } from '../protocol/invocation.ts';

/** What is known of a call beside its outcome. Times are milliseconds since the epoch. */
export type CallFacts = {
  readonly tool: ToolIdentity;
  readonly invocationId: string;
  readonly requestId: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly timeoutMs: number | null;
  readonly attempt: number;
  readonly actor: Actor | null;
  readonly source: InvocationSource;
  readonly nodeId: string | null;
  readonly requestIp: string | null;
};

export type SealDependencies = {
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly serverId: string;
  readonly knownPaths: readonly string[];
  /** One whose lines carry the ids of the call. */
  readonly logger: Logger;
};

/** The result of a call: classified, given its ids, and sealed. */
export const sealResult = (
  outcome: CallOutcome,
  { tool, actor, source, nodeId, requestIp, startedAt, durationMs, ...call }: CallFacts,
  { ids, clock, serverId, knownPaths, logger }: SealDependencies,
): CanonicalToolResult => {
  /** The tool has acted: whatever its answer does to the rules, there is a result. */
  const policyOf = (): PolicySummary => {
    try {
      return classify({ ...outcome, tool, actor }, knownPaths);
    } catch (error) {
      logger.error('call.not-classified', { fault: describeFault(error) });
      return UNCLASSIFIED;
    }
  };

  return buildCanonicalResult(
    {
      id: ids.next('result'),
      tool,
      execution: {
        invocationId: call.invocationId,
        requestId: call.requestId,
        // `options.record` can only tighten (§14.1), and a call is recorded already.
        recordId: ids.next('record'),
        startedAt: new Date(startedAt).toISOString(),
        finishedAt: new Date(Math.max(startedAt, clock.now())).toISOString(),
        // Microseconds are enough, and never less than nothing.
        durationMs: Math.max(0, Math.round(durationMs * 1_000) / 1_000),
        timeoutMs: call.timeoutMs,
        attempt: call.attempt,
      },
      actor,
      origin: { source, nodeId, serverId, distributed: false, requestIp },
      policy: policyOf(),
    },
    outcome,
  );
};
