import type { Context as TraceContext } from '@opentelemetry/api';
import type { ChatService } from '../chat/chat-service.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { PassThrough } from '../chat/passthrough/pass-through.ts';
import type { Identity, Authenticator } from '../ports/authenticator.ts';
import type { ApprovalStore } from '../ports/approval-store.ts';
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
import type { CallbackAddressee } from '../runtime/tasks/callback-receiver.ts';
import type { FinishDependencies } from '../runtime/tasks/finish-task.ts';
import type { TaskService } from '../runtime/tasks/task-service.ts';
import type { TaskTokens } from '../task/task-tokens.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import type { ScheduleService } from '../runtime/scheduling/schedule-service.ts';
import type { PluginService } from '../runtime/plugin-service.ts';
import type { ToolRuntime } from '../runtime/tool-runtime.ts';
import type { Credential } from './credential.ts';
import type { EventPush } from './push/event-push.ts';
import type { PushClients } from './push/push-clients.ts';
import type { UpgradeSocket } from './push/push-socket.ts';
import type { RunningChats } from './chat/running-chats.ts';
import type { CountedRate } from './rate-limit-fields.ts';

/** What a request carries through the middleware; `trace` is the span of the request with what it belongs to. */
export type AppEnvironment = {
  Variables: {
    requestId: string;
    identity: Identity;
    credential: Credential;
    trace: TraceContext;
    /** The rates that the request was counted against so far. */
    countedRates?: readonly CountedRate[];
    /** A callback that has been let in; `id` and `timestamp` are null where its sender cannot give any. */
    callback: {
      readonly task: CallbackAddressee;
      readonly token: string;
      readonly id: string | null;
      readonly timestamp: string | null;
    };
    /** Whether the answer is the upstream's, and none of ours to add to. */
    isRelayed?: boolean;
  };
};

/** Documents that the server hands out as they are, generated at build time. */
export type GeneratedDocuments = {
  readonly openapi: unknown;
  /** JSON Schemas by their names. */
  readonly schemas: ReadonlyMap<string, unknown>;
};

export type ServerDocuments = {
  /** Called when somebody asks for one: where a server starts with a request, it need not read them all before. */
  load(): GeneratedDocuments | Promise<GeneratedDocuments>;
  /** The files of the page at `/docs`; without them there is no such page. */
  readonly apiPage?: StaticAssets;
};

/** What a server of a given runtime knows of the connection that a request came by. `env` is what it handed to `fetch`. */
export type ConnectionInfo = {
  /** The client's address, where the runtime tells. */
  clientAddress(env: unknown): string | null;
  /** Aborts when the client goes away before it has its answer; null where the runtime cannot tell. */
  clientGone(env: unknown): AbortSignal | null;
  /** Cuts the connection while an answer is sent by it; absent where the runtime cannot. */
  cut?(env: unknown): void;
};

export type AppDependencies = {
  /** Absent where the server has no model to ask. */
  readonly chat?: ChatService;
  /** The way past the chat endpoint's work, for models on the white lists; absent without an upstream. */
  readonly passThrough?: PassThrough;
  /** Handed in by whoever ends conversations when the server stops. */
  readonly runningChats?: RunningChats;
  readonly runtime: ToolRuntime;
  readonly registry: ToolRegistry;
  readonly plugins: PluginService;
  readonly calls: CallStore;
  /** Absent where nothing makes calls later. */
  readonly schedules?: ScheduleService;
  readonly approvals: ApprovalStore;
  readonly tasks: TaskService;
  readonly tokens: TaskTokens;
  /** What ends a task by a callback. */
  readonly finishing: FinishDependencies;
  /** Whether a callback may have its token in the address, for senders that can give no header. */
  callbackUrlTokens(): boolean;
  readonly blobs: ResourceStore;
  readonly addresses: ResourceAddresses;
  readonly authenticator: Authenticator;
  /** Where events come from. */
  readonly hub?: EventHub;
  /** Everybody who is pushed events. */
  readonly push?: PushClients;
  /** Who holds the connections where this process does not, in the place of `hub` and `push`. */
  readonly eventPush?: EventPush;
  /** How this runtime makes a WebSocket of a request; absent where it cannot. */
  readonly upgradeSocket?: UpgradeSocket;
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
