import { messageOf } from '../../lib/message-of.ts';
import type { SandboxFault } from '../../ports/wasm-sandbox.ts';
import { GuestFault } from './guest-fault.ts';

export type GuestFailure = { readonly fault: SandboxFault; readonly message: string };

/** What the counters of the instance say, where there is one. */
export type GuestMarks = { readonly isOutOfFuel: boolean; readonly wasDenied: boolean };

/** Characters of a guest's own words that are kept. */
const MESSAGE_CHARACTERS = 2_000;

export const EXTISM_HTTP = "Extism's own HTTP functions are off here: use http_request of extism:host/user";

/** What ended a guest, from what was raised through it and from what its instance counted. */
export const faultOf = (error: unknown, { isOutOfFuel, wasDenied }: GuestMarks): GuestFailure => {
  const message = messageOf(error).slice(0, MESSAGE_CHARACTERS);
  if (isOutOfFuel) return { fault: 'out-of-fuel', message: 'the fuel of this call is used up' };
  if (error instanceof GuestFault && error.fault !== 'guest-error') return { fault: error.fault, message };
  const isStack = error instanceof RangeError;
  if (wasDenied && !isStack) {
    const why = 'the module was refused more memory or a larger table than its limits allow, and gave up';
    return { fault: 'out-of-memory', message: `${why}: ${message}` };
  }
  if (error instanceof GuestFault) return { fault: error.fault, message };
  // Engines have no type of their own for it, and our functions raise no RangeError.
  if (isStack) return { fault: 'stack-overflow', message };
  if (error instanceof WebAssembly.RuntimeError) return { fault: 'trap', message };
  // Extism puts its own HTTP functions in the place of ours; they find no host that is allowed, or no request.
  return { fault: 'host-misuse', message: `${EXTISM_HTTP} (${message})` };
};
