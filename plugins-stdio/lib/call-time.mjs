/** Milliseconds left of a call's time for its answer. */
const ANSWER_MS = 1_000;

/** Until when (milliseconds since 1970) a call may work, so that its answer still comes in time. */
export function workUntil({ deadline }) {
  return deadline.getTime() - ANSWER_MS;
}

/** How a call waits for the locks of what it changes: as long as it may. */
export function lockWait(call) {
  return { giveUpAt: workUntil(call), signal: call.signal };
}
