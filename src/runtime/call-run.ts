import type { Deadline } from '../lib/deadline.ts';
import type { ApprovalHeader } from '../ports/approval-store.ts';
import type { BackgroundWork, InputResource } from '../ports/transport.ts';
import type { ApprovalNote } from '../protocol/approval.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { CommandDefinition, PluginDefinition } from '../registry/plugin-definition.ts';
import type { ExecuteRequest } from './execute-request.ts';
import type { CallObservation } from './observe-call.ts';
import type { CallTask } from './tasks/call-task.ts';

/** A call on its way through the stages. */
export type CallRun = {
  readonly request: ExecuteRequest;
  readonly plugin: PluginDefinition | null;
  readonly invocationId: string;
  readonly requestId: string;
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly observation: CallObservation;
  readonly progress: CallProgress;
  /** The task of the call, made when it is first asked for. */
  openTask(plugin: PluginDefinition, command: CommandDefinition): Promise<CallTask>;
  /** What is cleaned up beside the rest of the call; it never rejects. */
  readonly cleaning: Promise<void>[];
};

/** How far a call came; its result tells. */
export type CallProgress = {
  /** The version that the call got to. */
  plugin: PluginDefinition | null;
  /** Null until the command is known. */
  command: string | null;
  /** The attempt that is under way, or gave the outcome; the first is 1. */
  attempt: number;
  /** Whether a plugin has been given the call, so that it may have acted. */
  hasRun: boolean;
  /** The task that the call belongs to; null while it has none. */
  task: CallTask | null;
  /** What goes on behind an `accepted`. */
  background: BackgroundWork | null;
  /** Whether it goes on as its task, once that has been answered. */
  isDetached: boolean;
  /** How its approval stands, where it needs one. */
  approval: ApprovalNote | null;
  /** The approval that it has used: it runs as it was approved, or not at all. */
  grant: ApprovalHeader | null;
};

/** The arguments as the tool gets them, and the resources among them. */
export type GivenArguments = { readonly arguments: JsonObject; readonly inputs: ReadonlyMap<string, InputResource> };
