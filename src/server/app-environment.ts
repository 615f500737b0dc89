import type { Identity, Authenticator } from '../ports/authenticator.ts';
import type { CallStore } from '../ports/call-store.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Logger } from '../ports/logger.ts';
import type { ResourceStore } from '../ports/resource-store.ts';
import type { Limits } from '../lib/limits.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import type { ToolRuntime } from '../runtime/tool-runtime.ts';

/** What a request carries through the middleware. */
export type AppEnvironment = { Variables: { requestId: string; identity: Identity } };

/** Documents that the server hands out as they are: generated at build time, read at start. */
export type ServerDocuments = {
  readonly openapi: unknown;
  readonly schemas: ReadonlyMap<string, unknown>;
};

export type AppDependencies = {
  readonly runtime: ToolRuntime;
  readonly registry: ToolRegistry;
  readonly calls: CallStore;
  readonly blobs: ResourceStore;
  readonly authenticator: Authenticator;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly documents: ServerDocuments;
  readonly version: string;
  readonly knownPaths: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Aborts when the server can wait no longer for running calls. */
  readonly shutdownSignal: AbortSignal;
  /** Whether the server still takes new work. */
  isReady(): boolean;
  /** The address that a request came from, where the runtime tells. */
  clientAddress(raw: { readonly env: unknown; readonly request: Request }): string | null;
};
