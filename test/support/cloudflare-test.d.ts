/* oxlint-disable typescript/consistent-type-imports -- an import at the top would make this file a module, which declares nothing */

/** What wrangler.toml and vitest.workers.config.ts bind, as tests inside workerd get it. */
declare module 'cloudflare:test' {
  export const env: {
    readonly RESOURCES: import('../../adapters/r2/r2-bucket.ts').R2BucketLike;
    readonly DATABASE: import('../../adapters/d1/d1-database.ts').D1DatabaseLike;
    readonly GUESTS: { fetch(url: string, init: RequestInit): Promise<Response> };
    readonly OUTSIDE: { fetch(url: URL, init: RequestInit): Promise<Response> };
    readonly __VITEST_POOL_WORKERS_UNSAFE_EVAL: { newWasmModule(bytes: ArrayBuffer): WebAssembly.Module };
  };
}
