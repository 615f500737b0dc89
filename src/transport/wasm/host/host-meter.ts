import { HostMisuse, type HostCall } from '../../../ports/wasm-sandbox.ts';

export type HostMeter = {
  count(call: HostCall): void;
  /** Bytes that are looked at for the guest beside its request, such as a value that was kept. */
  charge(bytes: number): void;
};

/**
 * Bounds what a guest can have the server do with host functions: each call is work outside of the sandbox, where
 * neither fuel nor a thread of its own holds it. The same block handed over again counts again. Log lines have a bound
 * of their own, past which they are not even read; it bounds their number too, since each counts more than its text.
 */
export const createHostMeter = (most: { readonly calls: number; readonly bytes: number }): HostMeter => {
  let calls = 0;
  let bytes = 0;

  const charge = (more: number) => {
    bytes += more;
    if (bytes > most.bytes)
      throw new HostMisuse(`what one call of a plugin asks for and is told may have ${most.bytes} bytes together`);
  };

  return {
    count: ({ name, request, bytes: sent }) => {
      if (name === 'log') return;
      calls += 1;
      if (calls > most.calls) throw new HostMisuse(`one call of a plugin may call host functions ${most.calls} times`);
      charge(request.length + (sent?.byteLength ?? 0));
    },
    charge,
  };
};
