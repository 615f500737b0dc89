import { HostMisuse, type SandboxHost, type SandboxModule, type SandboxRun } from '../../src/ports/wasm-sandbox.ts';

/** Grants all but `http_request`. `resource_read` never answers; `kv_get` wants its request to begin like an object. */
export const testHost: SandboxHost = {
  refusalOf: (name) => (name === 'http_request' ? 'http_request is not granted' : null),
  call: ({ name, request }, signal) => {
    if (name === 'resource_read') return waitFor(signal);
    if (name === 'kv_get' && !request.startsWith('{'))
      return Promise.reject(new HostMisuse('a request must be an object'));
    return Promise.resolve({ ok: null });
  },
};

const waitFor = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

/** A run of `invoke` with the input `hello`, with limits that are small enough for tests. */
export const sandboxRun = (module: SandboxModule, changes: Partial<SandboxRun> = {}): SandboxRun => ({
  module,
  exportName: 'invoke',
  input: new TextEncoder().encode('hello'),
  limits: {
    fuel: 100_000_000,
    memoryPages: 64,
    hostBytes: 16 * 1024 * 1024,
    outputBytes: 1_000_000,
    logBytes: 10_000,
  },
  host: testHost,
  signal: new AbortController().signal,
  ...changes,
});
