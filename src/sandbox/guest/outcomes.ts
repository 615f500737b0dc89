import { stopReasonOf } from '../../lib/deadline.ts';
import type { SandboxOutcome, SandboxUsage } from '../../ports/wasm-sandbox.ts';

const UNKNOWN_USAGE: SandboxUsage = { fuel: null, memoryPages: null, droppedLogBytes: 0 };

/** A run that its signal ended. */
export const stoppedOutcome = (signal: AbortSignal): SandboxOutcome => ({
  type: 'stopped',
  reason: stopReasonOf(signal),
  usage: UNKNOWN_USAGE,
});

/** A run that the sandbox itself has failed. */
export const lostOutcome = (message: string): SandboxOutcome => ({
  type: 'fault',
  fault: 'sandbox-lost',
  message,
  usage: UNKNOWN_USAGE,
});
