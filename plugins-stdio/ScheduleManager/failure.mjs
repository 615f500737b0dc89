/** A Plugin Result Payload of status `error` (§6.1). `target` is left out when no argument is to blame. */
export function failure({ code, message, retryable = false, target, details = {} }) {
  return { status: 'error', data: null, error: { code, message, retryable, target, details } };
}
