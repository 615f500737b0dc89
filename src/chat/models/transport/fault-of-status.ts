import type { UpstreamErrorCode } from '../../../ports/upstream-error.ts';

export type StatusVerdict = { readonly code: UpstreamErrorCode; readonly isRetryable: boolean };

/** Words of vendors for a quota or a purse that is empty: waiting a few seconds does not fill it. */
const USED_UP = /insufficient_quota|billing|credit|payment/i;

/** What an HTTP status of an upstream means, and whether the same request may succeed a little later. */
export const faultOfStatus = (status: number, vendorCode: string | null): StatusVerdict => {
  if (status >= 300 && status < 400) return { code: 'UPSTREAM_INVALID_ANSWER', isRetryable: false };
  switch (status) {
    case 401:
    case 403:
    case 407:
      return { code: 'UPSTREAM_UNAUTHORIZED', isRetryable: false };
    case 402:
      return { code: 'UPSTREAM_RATE_LIMITED', isRetryable: false };
    case 404:
    case 410:
      return { code: 'UPSTREAM_NOT_FOUND', isRetryable: false };
    case 408:
    case 409:
    case 425:
      return { code: 'UPSTREAM_FAILED', isRetryable: true };
    case 429:
      return { code: 'UPSTREAM_RATE_LIMITED', isRetryable: !USED_UP.test(vendorCode ?? '') };
    case 503:
    case 529:
      return { code: 'UPSTREAM_OVERLOADED', isRetryable: true };
    case 501:
    case 505:
      return { code: 'UPSTREAM_FAILED', isRetryable: false };
    default:
      return status >= 500
        ? { code: 'UPSTREAM_FAILED', isRetryable: true }
        : { code: 'UPSTREAM_REFUSED', isRetryable: false };
  }
};
