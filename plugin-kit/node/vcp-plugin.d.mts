/** What a call brings along beside its arguments. A field that the host did not give is null. */
export interface PluginCall {
  readonly command: string;
  readonly invocationId: string | null;
  readonly requestId: string | null;
  readonly toolName: string | null;
  /** Where the call came from: `human`, `ai-loop`, `workflow` … */
  readonly source: string | null;
  readonly actor: PluginActor | null;
  readonly requestIp: string | null;
  /** When the host stops waiting. Far in the future when the frame names none, as one written by hand may. */
  readonly deadline: Date;
  /** A directory of this call's own, for the files that it returns (`localPath`). */
  readonly resourceDir: string | null;
  /** What the plugin keeps between calls belongs here (VCP_PLUGIN_DATA_DIR). */
  readonly dataDir: string | null;
  /** Aborts when the call is cancelled or the process has to end. Hand it to fetch, timers, child processes. */
  readonly signal: AbortSignal;
  /** Says how far the call has come; `progress` is a number from 0 to 1. Never fails the call. */
  progress(report: { stage?: string | null; progress?: number | null; message?: string | null }): void;
  /** The task that the host has made for an asynchronous command; null for others. `token` is a secret. */
  readonly task: { readonly id: string; readonly callbackUrl: string; readonly token: string } | null;
  /**
   * For asynchronous commands: return what this returns, and the call is answered with `accepted`; then `work` runs, and
   * what it returns or throws is posted to the host as the end of the task. Its `progress` goes there too, and its
   * `signal` aborts when the task is cancelled. Files (`localPath`) go along, 11 MiB together.
   */
  inBackground(work: (call: PluginCall) => PluginResult | Promise<PluginResult>): PluginResult;
}

export interface PluginActor {
  readonly type: 'agent' | 'human' | 'service' | 'system';
  readonly id: string | null;
  readonly name: string | null;
  readonly maid: string | null;
}

/** What a handler returns: a Plugin Result Payload whose `status` may be left out (`success`). */
export interface PluginResult {
  status?: 'success' | 'partial' | 'error' | 'cancelled' | 'accepted';
  /** Facts in JSON types. A Date becomes its RFC 3339 text; NaN, BigInt, Map and cycles are refused by name. */
  data?: unknown;
  resources?: PluginResource[];
  warnings?: { code: string; message: string; target?: string | null; details?: unknown }[];
  presentation?: {
    summary?: string | null;
    title?: string | null;
    preferredView?: string | null;
    primaryResourceId?: string | null;
  } | null;
  aiAdvice?: {
    intent: 'relay' | 'display_resource' | 'summarize' | 'explain' | 'request_followup' | 'suggest_next_step' | 'none';
    message?: string | null;
    resourceIds?: string[];
    renderHint?: 'text' | 'markdown' | 'image' | 'audio' | 'video' | 'file_link' | 'table' | 'none' | null;
    priority?: 'low' | 'normal' | 'high';
  } | null;
  error?: PluginErrorOptions & { code: string; message: string };
  task?: { id: string; state: string; progress?: number | null } | null;
  /** Keys carry a namespace: `vendor.name`. */
  extensions?: Record<string, unknown>;
}

/** A file, with exactly one place where its bytes are: `localPath` (relative to `call.resourceDir`) or another. */
export interface PluginResource {
  id: string;
  kind?: 'image' | 'audio' | 'video' | 'document' | 'archive' | 'text' | 'binary' | 'directory' | 'other';
  role?: 'input' | 'output' | 'preview' | 'thumbnail' | 'attachment' | 'log' | 'intermediate';
  mimeType?: string;
  fileName?: string;
  localPath?: string;
  url?: string;
  dataUri?: string;
  base64?: string;
  source?: { type: string; provider?: string | null };
  dimensions?: { width: number; height: number } | null;
  durationMs?: number | null;
  metadata?: Record<string, unknown>;
}

export interface PluginErrorOptions {
  /** Dotted path of the argument that is at fault. */
  target?: string | null;
  /** Anything in JSON types that helps; it reaches every reader as it is. */
  details?: unknown;
  /** Whether the same call may succeed later. Default false. */
  retryable?: boolean;
  /** Default: what belongs to a standard code, else `domain`. */
  category?: 'domain' | 'validation' | 'dependency';
  /** An Error (its code and message are told, never its stack), or `{ code, message }`. */
  cause?: unknown;
}

/** A failure that you expect: throw it, and the caller gets it as the error of the result. */
export declare class PluginError extends Error {
  constructor(code: string, message: string, options?: PluginErrorOptions);
  /** A standard code (`INVALID_ARGUMENT` …), or your own with a namespace (`FILES.NOT_FOUND`). */
  readonly code: string;
}

export type PluginHandler = (
  // oxlint-disable-next-line typescript/no-explicit-any -- their shape stands in the manifest, not in TypeScript
  args: any,
  call: PluginCall,
) => PluginResult | Promise<PluginResult>;

/**
 * Serves the calls of the host until it has no more: one in the mode `oneshot`, any number at once in the mode `worker`
 * (the host says which in VCP_STDIO_MODE). `handlers` maps command identifiers to functions; one function serves all.
 * From here on console.log and process.stdout.write go to stderr: stdout belongs to the protocol.
 */
export declare function servePlugin(handlers: PluginHandler | Record<string, PluginHandler>): void;
