import { setTimeout as sleep } from 'node:timers/promises';
import { createDeadline } from '../../src/lib/deadline.ts';
import type { SandboxOutcome, WasmSandbox } from '../../src/ports/wasm-sandbox.ts';
import { HOSTILE_GUESTS, type HostileGuest } from '../../test/support/hostile-guests.ts';
import { sandboxModule } from '../../test/support/sandbox-module.ts';
import { sandboxRun } from '../../test/support/sandbox-run.ts';
import { quantile } from '../lib/quantile.ts';

const ROUNDS = 5;
const DEADLINE_MS = 100;

export interface Overrun {
  name: string;
  /** How the sandbox ended it under the usual limits, and how long that took. */
  ended: string;
  tookMs: number;
  /** How long after their deadline runs settled that had fuel for ever; none for guests that end before it. */
  pastDeadlineMs: number[];
}

/** Every hostile guest, by its limits and by time alone. */
export async function measureOverruns(sandbox: WasmSandbox): Promise<Overrun[]> {
  const overruns: Overrun[] = [];
  for (const guest of HOSTILE_GUESTS) {
    const limited: { outcome: SandboxOutcome; tookMs: number; pastDeadlineMs: number | null }[] = [];
    const endless: typeof limited = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      limited.push(await endOf(sandbox, guest, guest.fuel));
      endless.push(await endOf(sandbox, guest, Number.MAX_SAFE_INTEGER));
      // The thread that takes the place of one that was ended has to boot; servers are not attacked back to back.
      await sleep(50);
    }
    overruns.push({
      name: guest.name,
      ended: nameOf(limited[0]!.outcome),
      tookMs: quantile(
        limited.map(({ tookMs }) => tookMs),
        0.5,
      ),
      pastDeadlineMs: endless.map(({ pastDeadlineMs }) => pastDeadlineMs).filter((ms) => ms !== null),
    });
  }
  return overruns;
}

async function endOf(sandbox: WasmSandbox, guest: HostileGuest, fuel?: number) {
  const module = await sandboxModule(guest);
  const usual = sandboxRun(module).limits;
  // Booted and compiled: what is measured is the guest's end.
  const deadline = createDeadline({ now: Date.now(), timeoutMs: DEADLINE_MS });
  const started = performance.now();
  const run = sandboxRun(module, { limits: { ...usual, fuel: fuel ?? usual.fuel }, signal: deadline.signal });
  const outcome = await sandbox.run(run);
  const tookMs = performance.now() - started;
  deadline.dispose();
  return { outcome, tookMs, pastDeadlineMs: outcome.type === 'stopped' ? tookMs - DEADLINE_MS : null };
}

function nameOf(outcome: SandboxOutcome): string {
  if (outcome.type === 'fault') return outcome.fault;
  return outcome.type === 'stopped' ? 'deadline' : 'answers';
}
