import { raceWithSignal } from '../lib/deadline.ts';
import type { Limits } from '../lib/limits.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReadinessCheck } from '../ports/readiness-check.ts';

export type CheckOutcome = {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong, or what an operator should know all the same. */
  readonly reason: string | null;
  readonly durationMs: number;
};

export type ReadinessReport = { readonly ready: boolean; readonly checks: readonly CheckOutcome[] };

/** Asks every check at once, none longer than its time; an answer stands for a moment, however many ask meanwhile. */
export const createReadiness = (
  checks: readonly ReadinessCheck[],
  clock: Pick<Clock, 'monotonic'>,
  limits: Pick<Limits, 'readinessCheckMs' | 'readinessCacheMs'>,
): { report(): Promise<ReadinessReport> } => {
  let latest: { readonly report: Promise<ReadinessReport>; readonly until: number } | null = null;

  /** A check that hangs is waited for again, and not begun a second time. */
  const asked = new Map<string, Promise<string | null>>();
  const ask = ({ name, check }: ReadinessCheck): Promise<string | null> => {
    const known = asked.get(name);
    if (known !== undefined) return known;
    const answer = check().finally(() => asked.delete(name));
    asked.set(name, answer);
    return answer;
  };

  const outcomeOf = async (check: ReadinessCheck): Promise<CheckOutcome> => {
    const { name } = check;
    const begun = clock.monotonic();
    const tookMs = () => Math.round((clock.monotonic() - begun) * 1_000) / 1_000;
    const patience = new AbortController();
    const timer = setTimeout(
      () => patience.abort(new Error(`did not answer within ${limits.readinessCheckMs} ms`)),
      limits.readinessCheckMs,
    );
    try {
      const note = await raceWithSignal(ask(check), patience.signal);
      return { name, ok: true, reason: note, durationMs: tookMs() };
    } catch (error) {
      const reason = messageOf(error);
      return { name, ok: false, reason, durationMs: tookMs() };
    } finally {
      clearTimeout(timer);
    }
  };

  const askAll = async (): Promise<ReadinessReport> => {
    const outcomes = await Promise.all(checks.map(outcomeOf));
    return { ready: outcomes.every(({ ok }) => ok), checks: outcomes };
  };

  return {
    report: () => {
      if (latest === null || clock.monotonic() >= latest.until) {
        latest = { report: askAll(), until: clock.monotonic() + limits.readinessCacheMs };
      }
      return latest.report;
    },
  };
};
