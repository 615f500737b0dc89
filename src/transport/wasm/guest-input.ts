import type { TransportCall } from '../../ports/transport.ts';
import { invocationOf } from '../invocation-of.ts';

/** What a guest cannot find out by itself: it has no clock, no time zone and no random numbers. */
export type GuestSurroundings = {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
  /** 32 random bits. */
  readonly seed: number;
};

const encoder = new TextEncoder();

/** The input of `invoke`: the payload of the stdin frame, as UTF-8. */
export const guestInput = (call: TransportCall, { now, timeZone, seed }: GuestSurroundings): Uint8Array => {
  // A guest has no files; it writes resources by resource_write.
  const own = { resourceDir: null, now: new Date(now).toISOString(), timeZone, seed };
  return encoder.encode(JSON.stringify(invocationOf(call, own)));
};
