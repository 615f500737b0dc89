import type { HostCall } from '../../../src/ports/wasm-sandbox.ts';
import type { GuestEnd, GuestRequest } from '../../../src/sandbox/guest/guest-state.ts';

/** To a worker. It has one run at a time, so an answer needs no number. Bytes go as buffers: see `copied-bytes.ts`. */
export type ToWorker =
  | {
      readonly type: 'run';
      readonly digest: string;
      /** Null when this worker was given it before. */
      readonly module: WebAssembly.Module | null;
      readonly request: Omit<GuestRequest, 'input'>;
      readonly input: ArrayBuffer;
      /** Whether the next instance is to be made when this run has ended well. */
      readonly preparesNext: boolean;
    }
  | { readonly type: 'answer'; readonly text: string; readonly bytes: ArrayBuffer | null }
  | { readonly type: 'misuse'; readonly message: string }
  | { readonly type: 'forget'; readonly digest: string };

export type FromWorker =
  | { readonly type: 'booted' }
  | { readonly type: 'call'; readonly call: HostCall }
  | { readonly type: 'log'; readonly call: HostCall }
  | {
      readonly type: 'end';
      readonly end: GuestEnd;
      /** What the worker's heap and buffers take, when it looked. */
      readonly heldBytes: number | null;
      /** An instance is made now: code of the module may run, and `ready` tells when it no longer does. */
      readonly prepares: boolean;
    }
  /** `prepared`: whether an instance of this module waits for its run. */
  | { readonly type: 'ready'; readonly digest: string; readonly prepared: boolean };
