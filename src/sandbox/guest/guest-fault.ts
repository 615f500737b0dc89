import type { SandboxFault } from '../../ports/wasm-sandbox.ts';

/** Ends a guest from inside one of its host functions. No guest can catch it: modules with exceptions are refused. */
export class GuestFault extends Error {
  override readonly name = 'GuestFault';
  readonly fault: SandboxFault;

  constructor(fault: SandboxFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
