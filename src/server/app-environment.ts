import type { Context as TraceContext } from '@opentelemetry/api';
import type { ChatService } from '../chat/chat-service.ts';
import type { Identity, Authenticator } from '../ports/authenticator.ts';
import type { CallStore } from '../ports/call-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Logger } from '../ports/logger.ts';
import type { ReadinessCheck } from '../ports/readiness-check.ts';
import type { ResourceStore } from '../ports/resource-store.ts';
import type { StaticAssets } from '../ports/static-assets.ts';
import type { Limits } from '../lib/limits.ts';
import type { ResourceAddresses } from '../lib/resource-addresses.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import type { ObservePresentation } from '../runtime/observe-presentation.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import type { PluginService } from '../runtime/plugin-service.ts';
import type { ToolRuntime } from '../runtime/tool-runtime.ts';
import type { RunningChats } from './chat/running-chats.ts';
import type { CountedRate } from './rate-limit-fields.ts';

/** What a request carries through the middleware; `trace` is the span of the request with what it belongs to. */
export type AppEnvironment = {
  Variables: {
    requestId: string;
    identity: Identity;
    trace: TraceContext;
    /** The rates that the request was counted against so far. */
    countedRates?: readonly CountedRate[];
  };
};

/** Documents that the server hands out as they are: generated at build time, read at start. */
export type ServerDocuments = {
  readonly openapi: unknown;
  readonly schemas: ReadonlyMap<string, unknown>;
  /** The files of the page at `/docs`; without them there is no such page. */
  readonly apiPage?: StaticAssets;
};

/** What a server of a given runtime knows of the connection that a request came by. `env` is what it handed to `fetch`. */
export type ConnectionInfo = {
  /** The client's address, where the runtime tells. */
  clientAddress(env: unknown): string | null;
  /** Aborts when the client goes away before it has its answer; null where the runtime cannot tell. */
  clientGone(env: unknown): AbortSignal | null;
};

export type AppDependencies = {
  /** Absent where the server has no model to ask. */
  readonly chat?: ChatService;
  /** Handed in by whoever ends conversations when the server stops. */
  readonly runningChats?: RunningChats;
  readonly runtime: ToolRuntime;
  readonly registry: ToolRegistry;
  readonly plugins: PluginService;
  readonly calls: CallStore;
  readonly blobs: ResourceStore;
  readonly addresses: ResourceAddresses;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly documents: ServerDocuments;
  readonly version: string;
  readonly knownPaths: readonly string[];
  /** Asked at each request: the origins may change while the server runs. */
  corsOrigins(): readonly string[];
  /** Whether the server still takes new work. */
  isReady(): boolean;
  readonly connections: ConnectionInfo;
  /** What must be right for the server to be ready, beside taking calls at all. */
  readonly readinessChecks?: readonly ReadinessCheck[];
  /** Without it, nothing is measured. */
  readonly telemetry?: Telemetry;
  /** All figures in the text form of Prometheus; absent where nobody keeps them. */
  readonly metricsText?: () => Promise<{ readonly contentType: string; readonly text: string }>;
};

/** What routes get beside what the app was given. */
export type RouteDependencies = AppDependencies & { readonly presenting: ObservePresentation };
