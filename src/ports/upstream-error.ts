export type UpstreamErrorCode =
  /** The request asks for what this vendor cannot do; nothing was sent. `pointer` says where. */
  | 'UPSTREAM_UNSUPPORTED'
  /** The upstream refused the request as it is. */
  | 'UPSTREAM_REFUSED'
  /** The upstream does not take the key of this server, or the key may not do this. */
  | 'UPSTREAM_UNAUTHORIZED'
  /** There is no such model, or nothing at this address. */
  | 'UPSTREAM_NOT_FOUND'
  /** Too many requests, or a quota is used up. */
  | 'UPSTREAM_RATE_LIMITED'
  /** The upstream has no room now. */
  | 'UPSTREAM_OVERLOADED'
  /** The upstream failed by itself, before its answer or within it. */
  | 'UPSTREAM_FAILED'
  /** No connection, or one that broke before the answer began. */
  | 'UPSTREAM_UNREACHABLE'
  /** The answer broke off before its end. */
  | 'UPSTREAM_CUT_OFF'
  /** A stream gave no sign of life for too long. */
  | 'UPSTREAM_IDLE'
  /** The whole request took too long. */
  | 'UPSTREAM_TIMEOUT'
  /** The answer, or one event of it, is larger than the limits allow. */
  | 'UPSTREAM_TOO_LARGE'
  /** The answer is none: a web page, no JSON, JSON of another shape, a redirect. */
  | 'UPSTREAM_INVALID_ANSWER';

export type UpstreamFault = {
  readonly code: UpstreamErrorCode;
  /** Redacted and bounded: may be shown to whoever asked. Never holds the key. */
  readonly message: string;
  /** HTTP status that the upstream answered with, or that its error within a stream stands for; null without one. */
  readonly status?: number | null;
  /** The vendor's own word for it, such as `overloaded_error`. */
  readonly vendorCode?: string | null;
  /** Milliseconds after which the upstream wants to be asked again; null when it does not say. */
  readonly retryAfterMs?: number | null;
  /** Whether the same request may succeed later. */
  readonly isRetryable?: boolean;
  /** JSON Pointer into the request, when one field of it is at fault. */
  readonly pointer?: string | null;
};

/** Why a model gave no answer, or none to its end. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly code: UpstreamErrorCode;
  readonly status: number | null;
  readonly vendorCode: string | null;
  readonly retryAfterMs: number | null;
  readonly isRetryable: boolean;
  readonly pointer: string | null;

  constructor(fault: UpstreamFault) {
    super(fault.message);
    this.code = fault.code;
    this.status = fault.status ?? null;
    this.vendorCode = fault.vendorCode ?? null;
    this.retryAfterMs = fault.retryAfterMs ?? null;
    this.isRetryable = fault.isRetryable ?? false;
    this.pointer = fault.pointer ?? null;
  }
}
