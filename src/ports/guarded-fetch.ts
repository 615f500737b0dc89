/** What to fetch. The URL comes from data; the limits come from whoever asks. */
export type GuardedRequest = {
  readonly url: string;
  /** GET unless it is said. After a redirect it is what browsers make of it: a POST is a GET then, but for 307 and 308. */
  readonly method?: string;
  readonly body?: Uint8Array;
  /** Says why a request may not be sent, or null: asked before the first one and before each redirect is followed. */
  refusalOf?(url: URL, method: string): string | null;
  /**
   * Asked before each request that is sent, those that redirects lead to included, with the bytes of the body that goes
   * with it: how many bytes of an answer may follow, or why it may not be sent.
   */
  beforeSend?(bodyBytes: number): { readonly maxBytes: number } | { readonly refusal: string };
  /** Sent to the first origin; what looks like credentials among them stays there when a redirect leads elsewhere. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body after decompression. More is a failure, not a cut. */
  readonly maxBytes: number;
  /** Milliseconds for everything: names, connections, redirects and the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /**
   * Takes the body of an answer with status 200 as it comes, decompressed, instead of `body`, which is empty then. It
   * reads to the end; when it throws, the fetch has failed.
   */
  receive?(body: ReadableStream<Uint8Array>): Promise<void>;
};

/** A complete answer, whatever its status says. */
export type GuardedResponse = {
  readonly ok: true;
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** Decompressed. */
  readonly body: Uint8Array;
  /** The addresses that redirected, in order. */
  readonly redirects: readonly string[];
};

/** Why there is no answer. `message` names no query, no credentials and no address that a name was hiding. */
export type GuardedFailure = {
  readonly ok: false;
  readonly code:
    | 'INVALID_URL'
    | 'BLOCKED_URL'
    | 'BLOCKED_ADDRESS'
    | 'NOT_ALLOWED'
    | 'LIMIT_REACHED'
    | 'UNKNOWN_HOST'
    | 'CONNECTION_FAILED'
    | 'TIMEOUT'
    | 'CANCELLED'
    | 'TOO_LARGE'
    | 'TOO_MANY_REDIRECTS'
    | 'INSECURE_REDIRECT'
    | 'INVALID_RESPONSE';
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
};

/**
 * The one way in which a URL that came from data is fetched: only public addresses, checked where the connection is
 * made and again at every redirect, with bounds on size and time. Never throws.
 */
export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse | GuardedFailure>;

/** Bounds that no request sets for itself. Times are milliseconds. */
export type GuardedFetchLimits = {
  readonly redirects: number;
  readonly connectMs: number;
  readonly headersMs: number;
  readonly headerBytes: number;
};

export const GUARDED_FETCH_LIMITS: GuardedFetchLimits = {
  redirects: 5,
  connectMs: 10_000,
  headersMs: 20_000,
  headerBytes: 32 * 1024,
};
