import { HostMisuse, type HostCall } from '../../../ports/wasm-sandbox.ts';

/**
 * Bounds what a guest can have the server do with host functions: each call is work outside of the sandbox, where
 * neither fuel nor a thread of its own holds it. The same block handed over again counts again. Log lines have a bound
 * of their own, past which they are not even read.
 */
export const createHostMeter = (most: {
  readonly calls: number;
  readonly bytes: number;
}): { count(call: HostCall): void } => {
  let calls = 0;
  let bytes = 0;

  return {
    count: ({ name, request, bytes: sent }) => {
      if (name === 'log') return;
      calls += 1;
      bytes += request.length + (sent?.byteLength ?? 0);
      if (calls > most.calls) throw new HostMisuse(`one call of a plugin may call host functions ${most.calls} times`);
      if (bytes > most.bytes)
        throw new HostMisuse(`the requests of one call of a plugin may have ${most.bytes} bytes together`);
    },
  };
};
