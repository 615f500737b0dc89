/** A Plugin Result Payload of status `success` (§5.2). `warnings` and `aiAdvice` are optional. */
export function success({ data, presentation, warnings = [], aiAdvice }) {
  return {
    status: 'success',
    data,
    resources: [],
    warnings,
    presentation,
    ...(aiAdvice && { aiAdvice }),
    extensions: {},
  };
}

/** A Plugin Result Payload of status `error` (§6.1). `target` is left out when no argument is to blame. */
export function failure({ code, message, retryable = false, target, details = {} }) {
  return {
    status: 'error',
    data: null,
    error: { code, message, retryable, ...(target && { target }), details },
    resources: [],
    warnings: [],
    extensions: {},
  };
}
