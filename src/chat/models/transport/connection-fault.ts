import { UpstreamError } from '../../../ports/upstream-error.ts';

/**
 * What went wrong with a connection. The message names the kind of fault only: addresses and names of the operator's
 * network are in the rest.
 */
export const connectionFault = (error: unknown, hasAnswer: boolean): UpstreamError => {
  const kind = kindOf(error);
  return new UpstreamError({
    code: hasAnswer ? 'UPSTREAM_CUT_OFF' : 'UPSTREAM_UNREACHABLE',
    message: `${hasAnswer ? "the upstream's answer broke off" : 'the upstream cannot be reached'}${kind === null ? '' : ` (${kind})`}`,
    isRetryable: true,
  });
};

/** `ECONNREFUSED`, `UND_ERR_SOCKET` … of an error or of what caused it. */
const kindOf = (error: unknown): string | null => {
  let fault = error;
  for (let depth = 0; depth < 4 && fault instanceof Error; depth += 1) {
    const { code } = fault as { readonly code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return code;
    fault = fault.cause;
  }
  return null;
};
