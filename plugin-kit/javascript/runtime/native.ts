// What the bridge (engine/bridge.ts) gives to JavaScript. Each native function is one letter there.
type Native = {
  c(which: number, request: string, bytes: Uint8Array | undefined): string;
  b(block: number): Uint8Array;
  i(): string;
  o(output: string): void;
  e(error: string): void;
  n(milliseconds: number): void;
  d(utf8: Uint8Array): string;
  u(text: string): Uint8Array;
  s(run: () => void, finish: () => void): void;
};

const scope = globalThis as typeof globalThis & { vcpNative?: Native };
if (scope.vcpNative === undefined) throw new Error('this bundle runs inside a plugin made by `vcp plugin build` only');
const native = scope.vcpNative;
// Out of reach of the plugin, which could end the module with a wrong argument otherwise.
delete scope.vcpNative;

/** In the order of engine/host-functions.ts. */
const HOST_FUNCTIONS = [
  'resource_write',
  'resource_read',
  'progress',
  'log',
  'config_get',
  'kv_get',
  'kv_set',
  'http_request',
] as const;

/** The JSON with which the host answers a call; the guest stands still meanwhile. */
export function hostAnswer(name: (typeof HOST_FUNCTIONS)[number], request: string, bytes?: Uint8Array): string {
  return native.c(HOST_FUNCTIONS.indexOf(name), request, bytes);
}

/** The bytes of a block that the host named in an answer. To be taken once. */
export const takeBytes = (block: number): Uint8Array => native.b(block);
export const readInput = (): string => native.i();
export const writeOutput = (text: string): void => native.o(text);
export const writeError = (text: string): void => native.e(text);
export const setNow = (milliseconds: number): void => native.n(milliseconds);
/** Bytes that are no UTF-8 become U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array): string => native.d(bytes);
/** The text has to be well formed (`toWellFormed`). */
export const encodeUtf8 = (text: string): Uint8Array => native.u(text);
export const serveCalls = (run: () => void, finish: () => void): void => native.s(run, finish);
