import { describeFault } from '../../lib/describe-fault.ts';
import type { Logger } from '../../ports/logger.ts';
import { HostMisuse, type HostCall, type SandboxHost } from '../../ports/wasm-sandbox.ts';
import type { GuestAnswer } from './guest-state.ts';

/** What a guest is told of its call of a host function. A bug of ours must not look like the guest's fault. */
export const answerHostCall = async (
  host: SandboxHost,
  call: HostCall,
  signal: AbortSignal,
  logger: Logger,
): Promise<{ readonly answer: GuestAnswer } | { readonly misuse: string }> => {
  try {
    const { bytes = null, ...answer } = { bytes: undefined, ...(await host.call(call, signal)) };
    return { answer: { text: JSON.stringify(answer), bytes } };
  } catch (error) {
    if (error instanceof HostMisuse) return { misuse: error.message };
    if (!signal.aborted) logger.error('wasm.host-call-failed', { function: call.name, fault: describeFault(error) });
    const told = { code: 'INTERNAL_ERROR', message: `${call.name} failed inside the server` };
    return { answer: { text: JSON.stringify({ error: told }), bytes: null } };
  }
};
