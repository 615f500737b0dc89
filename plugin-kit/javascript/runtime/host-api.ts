import { callHost } from './call-host.ts';
import { decodeUtf8, encodeUtf8 } from './native.ts';

export type HttpRequest = {
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

export type HttpResponse = {
  readonly status: number;
  /** Where the body came from, after redirects. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The body read as UTF-8. */
  text(): string;
  json(): unknown;
};

/** Needs `permissions.http`. */
export const http = {
  request({ url, method, headers, body }: HttpRequest): HttpResponse {
    const sent = body === undefined ? undefined : toBytes(body);
    const { ok, bytes } = callHost<{ status: number; url: string; headers: Record<string, string> }>(
      'http_request',
      { url, method, headers },
      sent,
    );
    const text = () => decodeUtf8(bytes);
    return { ...ok, bytes, text, json: () => JSON.parse(text()) as unknown };
  },
  get(url: string, headers?: Readonly<Record<string, string>>): HttpResponse {
    return http.request(headers === undefined ? { url } : { url, headers });
  },
};

/** What the plugin keeps between calls. Needs `permissions.kv`. */
export const kv = {
  /** Null when nothing is kept under this key. */
  get<Value = unknown>(key: string): Value | null {
    return callHost<{ value: Value | null }>('kv_get', { key }).ok.value;
  },
  /** Anything that JSON can carry. */
  set(key: string, value: unknown): void {
    callHost('kv_set', { key, value });
  },
  delete(key: string): void {
    callHost('kv_set', { key, value: null });
  },
};

/** Settings of the operator. Needs the key in `permissions.config`. */
export const config = {
  get(key: string): string | null {
    return callHost<{ value: string | null }>('config_get', { key }).ok.value;
  },
};

type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** Lines of the server's log. Needs `permissions.log`; without it they are dropped, and nothing fails. */
export const log = {
  debug: (message: string): void => writeLog('debug', message),
  info: (message: string): void => writeLog('info', message),
  warning: (message: string): void => writeLog('warning', message),
  error: (message: string): void => writeLog('error', message),
};

export type ProgressReport = { stage?: string | null; progress?: number | null; message?: string | null };

/** Says how far the call has come; `progress` is a number from 0 to 1. Needs `permissions.progress`; never fails. */
export function progress(report: ProgressReport): void {
  attempt(() => callHost('progress', report));
}

export type ReadResource = {
  readonly bytes: Uint8Array;
  /** Bytes of the whole resource. */
  readonly size: number;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly offset: number;
};

/** Needs `permissions.resources`. */
export const resources = {
  /** Stores bytes as a resource of this call and tells its id. */
  write(content: string | Uint8Array, about: { fileName?: string; mimeType?: string } = {}): string {
    return callHost<{ resourceId: string }>('resource_write', about, toBytes(content)).ok.resourceId;
  },
  /** `offset` and `length` in bytes; by default all. */
  read(resourceId: string, range: { offset?: number; length?: number } = {}): ReadResource {
    const { ok, bytes } = callHost<Omit<ReadResource, 'bytes'>>('resource_read', { resourceId, ...range });
    return { ...ok, bytes };
  },
};

function writeLog(level: LogLevel, message: string): void {
  attempt(() => callHost('log', { level, message }));
}

/** For what is a courtesy: not granted, it does nothing. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The plugin's work goes on.
  }
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encodeUtf8(content.toWellFormed()) : content;
}
