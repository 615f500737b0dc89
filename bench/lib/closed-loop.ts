/**
 * Keeps `inFlight` calls going, each followed by the next as soon as it is answered, until `next` returns undefined.
 * The first failure is thrown once the calls under way have ended.
 */
export async function closedLoop(inFlight: number, next: () => Promise<void> | undefined): Promise<void> {
  let failed = false;
  async function lane(): Promise<void> {
    try {
      while (!failed) {
        const call = next();
        if (!call) return;
        await call;
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: inFlight }, lane));
  const failure = lanes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** A closed loop over the numbers below `count`. */
export function closedLoopOver(inFlight: number, count: number, call: (index: number) => Promise<void>): Promise<void> {
  let index = 0;
  return closedLoop(inFlight, () => (index < count ? call(index++) : undefined));
}
