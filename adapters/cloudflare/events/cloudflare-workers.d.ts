/** The little of the platform's own module that is used. */
declare module 'cloudflare:workers' {
  /** What other workers of the deployment may call the methods of. */
  export abstract class DurableObject<Bindings> {
    protected readonly ctx: import('./object-state.ts').ObjectState;
    protected readonly env: Bindings;
    constructor(ctx: import('./object-state.ts').ObjectState, env: Bindings);
  }
}
