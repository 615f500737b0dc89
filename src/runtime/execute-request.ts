import type { Context } from '@opentelemetry/api';
import type { Limits } from '../lib/limits.ts';
import type { ResourceAddresses } from '../lib/resource-addresses.ts';
import type { ApprovalRules } from '../ports/approval-rules.ts';
import type { ApprovalStore, StoredApproval } from '../ports/approval-store.ts';
import type { CallStore } from '../ports/call-store.ts';
import type { StoredTask } from '../ports/task-store.ts';
import type { CallWorkspace } from '../ports/call-workspace.ts';
import type { CallerRights } from '../ports/caller-rights.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventSink } from '../ports/event-sink.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Logger } from '../ports/logger.ts';
import type { Pause } from '../ports/pause.ts';
import type { KeyRole } from '../protocol/api-keys.ts';
import type { ApprovalSummary } from '../protocol/approval.ts';
import type { Actor, Conversation, InvocationOptions, InvocationSource } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ProgressEvent } from '../protocol/progress-event.ts';
import type { Warning } from '../protocol/warning.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import type { ResourceDependencies } from '../resources/resource-context.ts';
import type { Transports } from '../transport/select-transport.ts';
import type { CallbackAddresses } from './tasks/callback-addresses.ts';
import type { TaskService } from './tasks/task-service.ts';
import type { Telemetry } from './telemetry.ts';

/** A call (§14.1). `owner` is who may read its result later; `signal` cancels it. */
export type ExecuteRequest = {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly context: {
    readonly source: InvocationSource;
    /** How the schedule that makes the call was asked for, for rules on approval. */
    readonly origin?: InvocationSource;
    readonly actor?: Actor | null;
    readonly requestIp?: string | null;
    readonly nodeId?: string | null;
    readonly requestId?: string;
    /** What the tool is handed of the conversation that the call was made in. */
    readonly conversation?: Conversation;
    readonly signal?: AbortSignal;
    readonly owner: string;
    /** The roles of whoever calls, for rules on approval; where they are not known, strict rules are taken to fit. */
    readonly roles?: ReadonlySet<KeyRole>;
    /** Whose resources the call may be given, beside those of `owner`; nobody else's by default. */
    readonly maySee?: (owner: string) => boolean;
    /** Which tools whoever calls may hear of, for the suggestion in place of a tool that is not there; all by default. */
    readonly isOffered?: (toolName: string) => boolean;
    /** Why whoever calls may not make this call, found out when it was due; then its result says so, and no tool hears of it. */
    readonly refusal?: string;
    /** The trace that the call belongs to. */
    readonly trace?: Context;
    /** Told of this call's progress alone, beside the event sink that is told of every call's. */
    readonly onProgress?: (event: ProgressEvent) => void;
    /** Told when the call begins to wait for its approval. */
    readonly onApproval?: (approval: ApprovalSummary) => void;
  };
  readonly options?: InvocationOptions;
  /**
   * Milliseconds that whoever calls waits for an approval, before the answer is `accepted` and the call goes on as a task.
   * By default and at most as long as the limit `approvalWaitMs`; 0 for a caller that does not wait.
   */
  readonly approvalWaitMs?: number;
  /** Whether whoever calls waits for nothing at all: the answer is `accepted`, and the call goes on as a task. */
  readonly respondAsync?: boolean;
  /**
   * A task that this call carries out: the call has its ids, and its result ends it. Where the task has ended already, the
   * tool is not called, and the result that it has is given.
   */
  readonly task?: StoredTask;
  /** The approval that was used for this call; what it was given for is what runs. */
  readonly approved?: StoredApproval;
  /** What was noticed before the call, to stand among the warnings of its result. */
  readonly warnings?: readonly Warning[];
};

/** Everything that the runtime needs of the world, handed in. */
export type ToolRuntimeDependencies = {
  readonly registry: ToolRegistry;
  readonly transports: Transports;
  readonly resources: ResourceDependencies;
  readonly addresses: ResourceAddresses;
  readonly calls: CallStore;
  readonly keys: IdempotencyStore;
  readonly approvals: ApprovalStore;
  readonly approvalRules: ApprovalRules;
  /** What a key may do by the time that a call is approved; without it, what it could when it asked. */
  readonly rights?: CallerRights;
  /** Whether the files of a plugin are still those that it is served with; without it, the registry has the last word. */
  readonly isUnchanged?: (plugin: PluginDefinition) => Promise<boolean>;
  readonly tasks: TaskService;
  /** What lets plugins call back, wherever they run. */
  readonly callbacks: CallbackAddresses;
  readonly workspace: CallWorkspace;
  readonly clock: Clock;
  readonly pause: Pause;
  readonly ids: IdSource;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly serverId: string;
  /** Absolute directories of this host that no redacted text may show. */
  readonly knownPaths: readonly string[];
  /** Without it, nothing is measured. */
  readonly telemetry?: Telemetry;
  /** Told of work that goes on behind an answer, where the platform ends what nobody has told it of. */
  readonly keepAlive?: (work: Promise<unknown>) => void;
};
