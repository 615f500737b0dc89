import type { PluginErrorOptions } from './plugin-error.ts';

/** What a call brings along beside its arguments. A field that the host did not give is null. */
export type PluginCall = {
  readonly command: string;
  readonly invocationId: string | null;
  readonly requestId: string | null;
  readonly toolName: string | null;
  /** Where the call came from: `human`, `ai-loop`, `workflow` … */
  readonly source: string | null;
  readonly actor: PluginActor | null;
  readonly requestIp: string | null;
  /** When the host stops waiting. */
  readonly deadline: Date;
  /** When the call began. `Date.now()` says the same during the whole call. */
  readonly now: Date;
  /** Of the server, an IANA name. Dates of the engine itself show UTC as their local time. */
  readonly timeZone: string;
  /** From 0 to 2³² − 1, new in every call; `Math.random()` follows from it. */
  readonly seed: number;
};

export type PluginActor = {
  readonly type: 'agent' | 'human' | 'service' | 'system';
  readonly id: string | null;
  readonly name: string | null;
  readonly maid: string | null;
};

/** What a handler returns: a Plugin Result Payload whose `status` may be left out (`success`). */
export type PluginResult = {
  status?: 'success' | 'partial' | 'error' | 'cancelled';
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
  /** Keys carry a namespace: `vendor.name`. */
  extensions?: Record<string, unknown>;
};

/** A file. One written with `resources.write` is named by the id that it returned. */
export type PluginResource = {
  id: string;
  kind?: 'image' | 'audio' | 'video' | 'document' | 'archive' | 'text' | 'binary' | 'directory' | 'other';
  role?: 'input' | 'output' | 'preview' | 'thumbnail' | 'attachment' | 'log' | 'intermediate';
  mimeType?: string;
  fileName?: string;
  url?: string;
  dataUri?: string;
  base64?: string;
  dimensions?: { width: number; height: number } | null;
  durationMs?: number | null;
  metadata?: Record<string, unknown>;
};

export type PluginHandler = (
  // oxlint-disable-next-line typescript/no-explicit-any -- their shape stands in the manifest, not in TypeScript
  args: any,
  call: PluginCall,
) => PluginResult | Promise<PluginResult>;

/** By command identifier; one function serves all commands. */
export type PluginHandlers = PluginHandler | Readonly<Record<string, PluginHandler>>;
