/** The little of the platform's own module that is used. */
declare module 'cloudflare:workers' {
  import type { ObjectState } from './object-state.ts';

  /** What other workers of the deployment may call the methods of. */
  export abstract class DurableObject<Bindings> {
    protected readonly ctx: ObjectState;
    protected readonly env: Bindings;
    constructor(ctx: ObjectState, env: Bindings);
  }

  /** Keeps the invocation alive in which it is called. */
  export const waitUntil: (work: Promise<unknown>) => void;
}
