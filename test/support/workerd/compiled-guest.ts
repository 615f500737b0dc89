import { env } from 'cloudflare:test';
import type { SandboxModule } from '../../../src/ports/wasm-sandbox.ts';
import type { GuestText } from '../guest-wat.ts';

/**
 * A guest as a deployed worker would have it, compiled before it is run. The name of the binding that does so late what
 * workerd forbids to programs is the test runner's own.
 */
export const compiledGuest = async (guest: GuestText, memoryPages?: number): Promise<SandboxModule> => {
  const body = JSON.stringify({ guest, memoryPages });
  const made = await env.GUESTS.fetch('http://guests/', { method: 'POST', body });
  const { __VITEST_POOL_WORKERS_UNSAFE_EVAL: engine } = env;
  const compiled = engine.newWasmModule(await made.arrayBuffer());
  return { digest: made.headers.get('digest') ?? '', bytes: null, compiled };
};
