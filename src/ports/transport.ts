import type { Issue } from '../lib/issue.ts';
import type { Limits } from '../lib/limits.ts';
import type { CoreErrorCode } from '../protocol/error.ts';
import type { Actor, Conversation, InvocationSource } from '../protocol/invocation.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { InvocationCommand, PluginManifest } from '../protocol/manifest.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { ByteRange } from './resource-store.ts';
import type { ProgressReport } from '../protocol/stdio-frame.ts';
import type { Warning } from '../protocol/warning.ts';
import type { StopReason } from '../lib/deadline.ts';

/** A plugin as transports see it: its manifest and where its files are. */
export type PluginLocation = {
  readonly manifest: PluginManifest;
  /** Absolute directory of the plugin's files; null where the plugin has none (bundled modules, remote tools). */
  readonly directory: string | null;
};

/** What an in-process plugin writes through to leave a resource (§10.2). */
export type ResourceWriter = {
  /** Stores the bytes and gives back the id to use as `resourceId` of a draft. */
  write(
    source: Uint8Array | ReadableStream<Uint8Array>,
    options?: { readonly fileName?: string; readonly mimeType?: string },
  ): Promise<string>;
};

/** A stored resource, or the part of it that was asked for. */
export type ReadResource = {
  readonly sizeBytes: number;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly bytes: Uint8Array;
};

/** What an in-process plugin reads resources through. */
export type ResourceReader = {
  /**
   * Reads what this call has written, and what its arguments name if its caller owns it; null for all else. `length`
   * bytes from `offset` on, or to the end; more than `maxBytes` of them are `too-large`, and nothing is read.
   */
  read(
    resourceId: string,
    range: { readonly offset: number; readonly length: number | null; readonly maxBytes: number },
  ): Promise<ReadResource | 'too-large' | null>;
};

/** A resource that a call was given for an argument. */
export type InputResource = {
  readonly descriptor: ResourceDescriptor;
  /** The bytes, or the part of them; rejects when they are gone. */
  open(range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
};

/** The task of an asynchronous call, as its plugin is told of it: where it calls back, and with which token. */
export type TransportTask = {
  readonly id: string;
  readonly callbackUrl: string;
  readonly token: string;
  /** For a plugin in this process: ends the task with a payload, as a callback would. */
  finish(payload: unknown): Promise<TaskFinish>;
};

/** Whether a payload has ended its task; what it broke is told, and the task goes on. */
export type TaskFinish =
  | { readonly ok: true; readonly resultId: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly issues: readonly Issue[] };

/** What goes on for a task in a process, after its plugin has answered `accepted`. */
export type BackgroundWork = {
  /** Settles when nothing is done for the task any more; with a fault when it broke off without a callback. Never rejects. */
  readonly ended: Promise<TransportError | null>;
  /** Ends it now: the task was cancelled, or its time is over. */
  stop(): void;
  /** The task has its result: what still runs may come to its own end, and soon. */
  release(): void;
};

/** One call as a transport carries it out. `deadline` is milliseconds since the epoch. */
export type TransportCall = {
  readonly plugin: PluginLocation;
  readonly command: InvocationCommand;
  readonly arguments: JsonObject;
  readonly invocationId: string;
  readonly requestId: string;
  readonly source: InvocationSource;
  readonly actor: Actor | null;
  readonly requestIp: string | null;
  /** What the call was handed of the conversation that it was made in; null for most. */
  readonly conversation: Conversation | null;
  /** Whose call it is, and so whose results and resources it may read. It is not the plugin's to know. */
  readonly owner: string;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly resourceWriter: ResourceWriter;
  readonly resourceReader: ResourceReader;
  /**
   * The resources among the arguments, by id. In `arguments` each stands as a `DeliveredResource`; programs that have
   * files get them in `resourceDirectory`, with their `localPath`.
   */
  readonly inputResources: ReadonlyMap<string, InputResource>;
  /** The directory that this call's `localPath`s are relative to; made on first use. */
  resourceDirectory(): Promise<string | null>;
  /** Null when the command is answered at once. */
  readonly task: TransportTask | null;
  /** May be called at any rate, and after an `accepted` too: the runtime bounds and checks what comes. */
  reportProgress(report: ProgressReport): void;
};

/** What came back: a payload that nobody has validated yet, and what the transport noticed on the way. */
export type TransportReply = {
  readonly payload: unknown;
  readonly warnings: readonly Warning[];
  /** What goes on behind an `accepted`; whoever gets it sees to its end. */
  readonly background?: BackgroundWork | undefined;
};

/**
 * The processes that a transport keeps for one tool, or the threads that it has for all of them: then `toolName` is
 * empty. `recycled` counts those that were replaced, from the start on.
 */
export type TransportStats = {
  readonly toolName: string;
  readonly mode: string;
  /** All that live now, `idle` ones included. */
  readonly processes: number;
  readonly idle: number;
  readonly recycled: number;
};

/** Carries calls to plugins and payloads back. It gives them no meaning (§4.2). */
export type TransportAdapter = {
  execute(call: TransportCall): Promise<TransportReply>;
  /**
   * This version of a plugin gets no new calls: it was changed, switched off or removed. Running calls end as they would;
   * what is kept ready for more of them ends now, or with the last of them. Versions are told apart by identity.
   */
  retire?(plugin: PluginLocation): void;
  /** What there is for operators to see; at most one entry for each tool and mode. */
  stats?(): readonly TransportStats[];
  /** Ends everything that still runs. */
  close?(): Promise<void>;
};

/** The faults that a transport may raise; all others are bugs. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** TOOL_TIMEOUT: it used up what it may use in the place of time, such as fuel. */
  readonly code: Extract<
    CoreErrorCode,
    'TRANSPORT_FAILURE' | 'INVALID_TOOL_RESULT' | 'INTERNAL_ERROR' | 'FORBIDDEN' | 'TOOL_TIMEOUT'
  >;
  readonly details: JsonValue;
  readonly retryable: boolean;
  /** Whether the plugin may have got the call. What was certainly not delivered has done nothing. */
  readonly isDelivered: boolean;

  constructor(
    code: TransportError['code'],
    message: string,
    details: JsonValue = null,
    retryable = false,
    isDelivered = true,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryable = retryable;
    this.isDelivered = isDelivered;
  }
}

/**
 * Raised when the signal of the call ended it; `details` is what the transport saw until then. `work` is what could
 * not be ended and goes on by itself; it settles when that is over.
 */
export class CallStopped extends Error {
  override readonly name = 'CallStopped';
  readonly reason: StopReason;
  readonly details: JsonValue;
  readonly work: Promise<unknown> | null;

  constructor(reason: StopReason, details: JsonValue = null, work: Promise<unknown> | null = null) {
    super(reason);
    this.reason = reason;
    this.details = details;
    this.work = work;
  }
}

export type TransportLimits = Pick<
  Limits,
  'frameBytes' | 'stderrBytes' | 'jsonDepth' | 'jsonNodes' | 'killGraceMs' | 'drainMs'
>;
