import type { StopReason } from '../lib/deadline.ts';

/** The functions under `extism:host/user` that a guest may import. Each needs its permission. */
export const HOST_FUNCTIONS = [
  'resource_write',
  'resource_read',
  'progress',
  'log',
  'config_get',
  'kv_get',
  'kv_set',
  'http_request',
] as const;
export type HostFunctionName = (typeof HOST_FUNCTIONS)[number];

/** The export of a plugin's module that a call runs: no parameters, and 0 for success. */
export const GUEST_ENTRY = 'invoke';

/** A module that was checked and instrumented: what a sandbox runs. Told apart by `digest`. */
export type SandboxModule = {
  /** SHA-256, in lower-case hex, of the instrumented bytes. */
  readonly digest: string;
  /** Instrumented WebAssembly; null where the module was compiled at deployment. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /** Compiled ahead, where the runtime forbids to compile later. */
  readonly compiled: WebAssembly.Module | null;
};

/** What one run may use up. */
export type SandboxLimits = {
  /** Instructions, bulk operations by their length; see `src/sandbox`. */
  readonly fuel: number;
  /** Pages of 64 KiB, the guest's own memory; the module's maximum was set to it when it was instrumented. */
  readonly memoryPages: number;
  /** Bytes of all blocks that guest and host hand to each other, input and output included. */
  readonly hostBytes: number;
  readonly outputBytes: number;
  /** Bytes of log lines that are kept, `LOG_LINE_BYTES` more for each; what comes after is dropped and counted. */
  readonly logBytes: number;
};

/** Bytes that a log line counts beside its text, so that a bound on bytes bounds the number of lines, empty ones too. */
export const LOG_LINE_BYTES = 256;

/** One call of a host function. `request` is the guest's JSON text, not looked at yet. */
export type HostCall = {
  readonly name: HostFunctionName;
  readonly request: string;
  /** The bytes that came with it, for `resource_write` and `http_request`. */
  readonly bytes: Uint8Array | null;
};

/** What the guest gets: `{"ok": …}` or `{"error": {"code", "message"}}`, and bytes of a resource or a response body. */
export type HostAnswer =
  | { readonly ok: unknown; readonly bytes?: Uint8Array }
  | { readonly error: { readonly code: string; readonly message: string } };

/** What the guest can reach, decided for each call. */
export type SandboxHost = {
  /** Why a function is not granted, in words for the plugin's author; null when it is. */
  refusalOf(name: HostFunctionName): string | null;
  /**
   * Carries out a call of a granted function. The guest waits. A rejection with `HostMisuse` ends the run as
   * `host-misuse`; any other is a bug of ours. `signal` aborts when the run ends first.
   */
  call(call: HostCall, signal: AbortSignal): Promise<HostAnswer>;
};

/** A guest used a host function in a way that no answer can mend, such as a request that is no JSON. */
export class HostMisuse extends Error {
  override readonly name = 'HostMisuse';
}

export type SandboxRun = {
  readonly module: SandboxModule;
  /** The export to call. It takes its input and leaves its output through `extism:host/env`. */
  readonly exportName: string;
  readonly input: Uint8Array;
  readonly limits: SandboxLimits;
  readonly host: SandboxHost;
  /** Ends the run at once, whatever the guest does; its reason tells a deadline from a wish (`stopReasonOf`). */
  readonly signal: AbortSignal;
};

export type SandboxFault =
  | 'out-of-fuel'
  | 'out-of-memory'
  | 'out-of-host-memory'
  | 'stack-overflow'
  | 'trap'
  | 'missing-export'
  | 'output-too-large'
  | 'guest-error'
  | 'host-misuse'
  | 'sandbox-lost';

/** What a run took. `fuel` and `memoryPages` are null when the sandbox was ended with the guest inside. */
export type SandboxUsage = {
  readonly fuel: number | null;
  readonly memoryPages: number | null;
  readonly droppedLogBytes: number;
};

export type SandboxOutcome =
  | { readonly type: 'output'; readonly bytes: Uint8Array; readonly usage: SandboxUsage }
  | { readonly type: 'stopped'; readonly reason: StopReason; readonly usage: SandboxUsage }
  | {
      readonly type: 'fault';
      readonly fault: SandboxFault;
      /** For the plugin's author: what the guest or the engine said. May hold anything that the guest has seen. */
      readonly message: string;
      readonly usage: SandboxUsage;
    };

export type SandboxStats = { readonly workers: number; readonly idle: number; readonly recycled: number };

/**
 * Runs WebAssembly that nobody trusts: a new instance for every run, nothing kept between two, every limit held
 * whatever the guest does.
 */
export type WasmSandbox = {
  /** Always resolves, but for `QueueFull` when too many runs wait. */
  run(run: SandboxRun): Promise<SandboxOutcome>;
  /** This module will not be run again; what is kept for it can go. Running calls end as they would. */
  forget(module: SandboxModule): void;
  stats(): SandboxStats;
  close(): Promise<void>;
};
