import { checkJsonValue } from '../lib/check-json-value.ts';
import { createDeadline, raceWithSignal, type Deadline } from '../lib/deadline.ts';
import { describeFault } from '../lib/describe-fault.ts';
import { keySlot, type KeyClaim } from '../ports/idempotency-store.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import { resolveCommand } from '../validate/resolve-command.ts';
import { approvalPatience } from './approval-demand.ts';
import { callTimeout } from './call-timeout.ts';
import type { ExecuteRequest, ToolRuntimeDependencies } from './execute-request.ts';
import { fingerprintCall } from './fingerprint-call.ts';

/**
 * Why a call under a key was not run and has no result:
 * `key-reused`: the key stands for another call; `key-in-use`: its call still runs, longer than this caller waits;
 * `outcome-unknown`: its call was lost, and repeating it could do its work twice; `store-unavailable`: whether it ran
 * cannot be told now; `result-unavailable`: it ran, and its result cannot be read now.
 */
export type KeyRefusal = 'key-reused' | 'key-in-use' | 'outcome-unknown' | 'store-unavailable' | 'result-unavailable';

/** `isReplay` when the result is that of a call made before, or by another request at the same time. */
export type KeyedOutcome =
  | { readonly ok: true; readonly result: CanonicalToolResult; readonly isReplay: boolean }
  | { readonly ok: false; readonly refusal: KeyRefusal };

/** The key that a call runs under, once its execution holds it. */
export type KeyOfCall = { readonly key: string; readonly invocationId: string };

export type KeyedCalls = {
  /** `onUnderway` is told when the answer takes a call: its own, or another's that it waits for. */
  execute(request: ExecuteRequest, key: string, onUnderway?: () => void): Promise<KeyedOutcome>;
  /** Ends every wait for a call that runs elsewhere. */
  cancelWaiting(): void;
};

/** An execution in this process that asks for its key, and runs when it gets it. */
type Execution = {
  readonly fingerprint: string;
  readonly holdsKey: Promise<boolean>;
  /** Null when it did not get the key. */
  readonly outcome: Promise<KeyedOutcome | null>;
};

type KeyUse = {
  readonly request: ExecuteRequest;
  readonly key: string;
  readonly fingerprint: string;
  readonly slot: string;
  /** Bounds what this caller waits for others; never the call that it started itself. */
  readonly patience: AbortSignal;
  readonly onUnderway: () => void;
};

/** Milliseconds between two looks at a call that runs in another process. */
const LOOK_MS = 100;
/** Signs of life within one lease, so that one may come late or be lost. */
const SIGNS_PER_LEASE = 3;
/** Milliseconds between two removals of expired keys, and how many go at once: it must never hold up a call. */
const REMOVAL_PERIOD_MS = 60_000;
const REMOVED_AT_ONCE = 500;

/**
 * Calls that are made at most once per key and owner, whoever asks how often, in whatever process on the same store.
 * A call under a key belongs to all who may ask for it again: it runs to its end when its caller leaves.
 */
export const createKeyedCalls = (
  dependencies: ToolRuntimeDependencies,
  run: (request: ExecuteRequest, key: KeyOfCall | null) => Promise<CanonicalToolResult>,
): KeyedCalls => {
  const { registry, keys, calls, clock, ids, limits, logger, pause, serverId } = dependencies;
  const running = new Map<string, Execution>();
  const waiting = new Set<Deadline>();
  let removedAt = clock.monotonic();

  const execute: KeyedCalls['execute'] = async (request, key, onUnderway = () => undefined) => {
    // What is not JSON is refused by the call itself, and has no fingerprint.
    if (checkJsonValue(request.arguments, limits) !== null)
      return { ok: true, result: await run(request, null), isReplay: false };
    const { owner, signal } = request.context;
    const timeoutMs =
      callTimeout(registry.get(request.toolName), request.options, limits) + approvalPatience(request, dependencies);
    const deadline = createDeadline({ now: clock.now(), timeoutMs, signal });
    waiting.add(deadline);
    try {
      const fingerprint = await fingerprintCall(request);
      const slot = keySlot(owner, key);
      return noted(request, await settle({ request, key, fingerprint, slot, patience: deadline.signal, onUnderway }));
    } catch (error) {
      if (error === deadline.signal.reason) return noted(request, { ok: false, refusal: 'key-in-use' });
      return refusedByFault(request, 'store-unavailable', error);
    } finally {
      waiting.delete(deadline);
      deadline.dispose();
    }
  };

  const refusedByFault = ({ context, toolName }: ExecuteRequest, refusal: KeyRefusal, error: unknown): KeyedOutcome => {
    logger.error('idempotency.fault', {
      requestId: context.requestId,
      toolName,
      reason: refusal,
      fault: describeFault(error),
    });
    return { ok: false, refusal };
  };

  /** A call that ran has its own line in the log; other answers are told here. */
  const noted = ({ context, toolName }: ExecuteRequest, outcome: KeyedOutcome): KeyedOutcome => {
    const { requestId } = context;
    if (!outcome.ok) logger.info('call.key-refused', { requestId, toolName, reason: outcome.refusal });
    else if (outcome.isReplay) logger.info('call.replayed', { requestId, toolName, resultId: outcome.result.id });
    return outcome;
  };

  const settle = async (use: KeyUse): Promise<KeyedOutcome> => {
    let lost: string | null = null;
    for (;;) {
      const known = running.get(use.slot);
      if (known === undefined) {
        const outcome = await start(use, lost).outcome;
        if (outcome !== null) return outcome;
      } else if (await raceWithSignal(known.holdsKey, use.patience)) {
        if (known.fingerprint !== use.fingerprint) return { ok: false, refusal: 'key-reused' };
        use.onUnderway();
        const outcome = await raceWithSignal(known.outcome, use.patience);
        if (outcome !== null) return outcome.ok ? { ...outcome, isReplay: true } : outcome;
      }
      const held = await watch(use);
      lost = null;
      if (held === null) continue;
      if (held.fingerprint !== use.fingerprint) return { ok: false, refusal: 'key-reused' };
      if (held.resultId !== null) return await replay(use.request, held.resultId);
      // What was lost ran on the version of then, what would follow runs on that of now: both must allow it.
      if (!held.isRepeatable || !isRepeatable(use.request)) return { ok: false, refusal: 'outcome-unknown' };
      lost = held.invocationId;
    }
  };

  /** Begins an execution that takes the key, from the lost one if there is such, and runs the call if it got it. */
  const start = (use: KeyUse, lost: string | null): Execution => {
    const { request, key, fingerprint, slot } = use;
    const invocationId = ids.next('invocation');
    const claim: KeyClaim = {
      owner: request.context.owner,
      key,
      fingerprint,
      invocationId,
      claimedBy: serverId,
      claimedAt: clock.now(),
      ...aliveUntil(),
      isRepeatable: isRepeatable(request),
      resultId: null,
    };
    const holdsKey = lost === null ? keys.claim(claim) : keys.takeOver(claim, lost);
    const outcome = holdsKey
      .then((holds) => {
        if (!holds) return null;
        if (lost !== null) logger.warn('idempotency.taken-over', { invocationId, lost, toolName: request.toolName });
        use.onUnderway();
        return runHolding(request, claim);
      })
      .finally(() => running.delete(slot));
    const execution: Execution = { fingerprint, holdsKey, outcome };
    running.set(slot, execution);
    removeExpired();
    return execution;
  };

  const aliveUntil = () => {
    const leaseUntil = clock.now() + limits.idempotencyLeaseMs;
    // What was lost is remembered as long as a result is.
    return { leaseUntil, expiresAt: leaseUntil + limits.idempotencyMs };
  };

  const runHolding = async (request: ExecuteRequest, claim: KeyClaim): Promise<KeyedOutcome> => {
    const { invocationId } = claim;
    const giveSign = async () => {
      try {
        if (!(await keys.extend(claim, aliveUntil()))) logger.debug('idempotency.not-held', { invocationId });
      } catch (error) {
        logger.warn('idempotency.no-sign', { invocationId, fault: describeFault(error) });
      }
    };
    const signs = setInterval(() => void giveSign(), limits.idempotencyLeaseMs / SIGNS_PER_LEASE);
    try {
      const { signal: _, ...context } = request.context;
      const result = await run({ ...request, context }, { key: claim.key, invocationId });
      return { ok: true, result, isReplay: false };
    } catch (error) {
      // The tool may have acted, so this is no case of "nothing was run".
      return refusedByFault(request, 'outcome-unknown', error);
    } finally {
      clearInterval(signs);
    }
  };

  /** Waits while the key's call runs elsewhere. The claim when it has ended, was lost or is another call's; or null. */
  const watch = async ({ request, key, fingerprint, patience, onUnderway }: KeyUse): Promise<KeyClaim | null> => {
    for (;;) {
      const claim = await raceWithSignal(keys.find(request.context.owner, key), patience);
      const now = clock.now();
      if (claim === null || claim.expiresAt <= now) return null;
      const isAlive = claim.resultId === null && claim.leaseUntil > now;
      if (!isAlive || claim.fingerprint !== fingerprint) return claim;
      onUnderway();
      await pause.sleep(LOOK_MS, patience);
    }
  };

  const replay = async (request: ExecuteRequest, resultId: string): Promise<KeyedOutcome> => {
    try {
      const stored = await calls.getResult(resultId);
      // The key outlived its result: the call was made, so it is not made again.
      if (stored === null) return { ok: false, refusal: 'outcome-unknown' };
      return { ok: true, result: stored.result, isReplay: true };
    } catch (error) {
      return refusedByFault(request, 'result-unavailable', error);
    }
  };

  const isRepeatable = ({ toolName, arguments: args }: ExecuteRequest): boolean => {
    const plugin = registry.get(toolName);
    if (plugin === null) return false;
    const resolved = resolveCommand(plugin, args);
    return resolved.ok && resolved.command.command.idempotent;
  };

  const removeExpired = () => {
    const now = clock.monotonic();
    if (now - removedAt < REMOVAL_PERIOD_MS) return;
    removedAt = now;
    keys.removeExpired(clock.now(), REMOVED_AT_ONCE).then(
      (removed) => {
        // A full batch left more behind, perhaps: the next call goes on with them, or they would pile up.
        if (removed >= REMOVED_AT_ONCE) removedAt = Number.NEGATIVE_INFINITY;
      },
      (error: unknown) => logger.warn('idempotency.not-removed', { fault: describeFault(error) }),
    );
  };

  return {
    execute,
    cancelWaiting: () => {
      for (const deadline of waiting) deadline.shutDown();
    },
  };
};
