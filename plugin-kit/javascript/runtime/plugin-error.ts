export type PluginErrorOptions = {
  /** Dotted path of the argument that is at fault. */
  target?: string | null | undefined;
  /** Anything in JSON types that helps; it reaches every reader as it is. */
  details?: unknown;
  /** Whether the same call may succeed later. Default false. */
  retryable?: boolean | undefined;
  /** Default: what belongs to a standard code, else `domain`. */
  category?: 'domain' | 'validation' | 'dependency' | undefined;
  /** An Error (its code and message are told, never its stack), or `{ code, message }`. */
  cause?: unknown;
};

/** A failure that you expect: throw it, and the caller gets it as the error of the result. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  /** A standard code (`INVALID_ARGUMENT` …), or your own with a namespace (`FILES.NOT_FOUND`). */
  readonly code: string;
  readonly options: PluginErrorOptions;

  constructor(code: string, message: string, options: PluginErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}
