import type { HostAnswer, HostCall } from '../../../ports/wasm-sandbox.ts';

/** Carries out the calls of one host function for one call of a plugin. Raises `HostMisuse` for what is no request. */
export type HostFunction = (call: HostCall, signal: AbortSignal) => Promise<HostAnswer>;

/** What a guest reads when a request could not be carried out. */
export const failed = (code: string, message: string): HostAnswer => ({ error: { code, message } });
