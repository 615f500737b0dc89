import { deepFreeze } from '../lib/deep-freeze.ts';
import type {
  Execution,
  Origin,
  PolicySummary,
  ToolIdentity,
  CanonicalToolResult,
} from '../protocol/canonical-tool-result.ts';
import type { AiAdvice } from '../protocol/ai-advice.ts';
import type { ToolError } from '../protocol/error.ts';
import type { Actor } from '../protocol/invocation.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Presentation } from '../protocol/presentation.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { ToolStatus } from '../protocol/status.ts';
import type { Task } from '../protocol/task.ts';
import { PROTOCOL_NAME, PROTOCOL_VERSION } from '../protocol/version.ts';
import type { Warning } from '../protocol/warning.ts';

/** What the call came to: the plugin's facts, or the core's failure, once every stage has had its word. */
export type CallOutcome = {
  readonly status: ToolStatus;
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly warnings: readonly Warning[];
  readonly error: ToolError | null;
  readonly task: Task | null;
  readonly presentation: Presentation | null;
  readonly aiAdvice: AiAdvice | null;
  readonly extensions: JsonObject;
};

/** What the core knows of the call. */
export type CallIdentity = {
  readonly id: string;
  readonly tool: ToolIdentity;
  readonly execution: Execution;
  readonly actor: Actor | null;
  readonly origin: Origin;
  readonly policy: PolicySummary;
};

/** Puts both together in the order of §5.3 and seals the whole: nobody can change it from here on. */
export const buildCanonicalResult = (call: CallIdentity, outcome: CallOutcome): CanonicalToolResult =>
  deepFreeze({
    protocol: { name: PROTOCOL_NAME, version: PROTOCOL_VERSION },
    id: call.id,
    status: outcome.status,
    tool: call.tool,
    execution: call.execution,
    actor: call.actor,
    origin: call.origin,
    data: outcome.data,
    resources: outcome.resources,
    warnings: outcome.warnings,
    error: outcome.error,
    task: outcome.task,
    presentation: outcome.presentation,
    aiAdvice: outcome.aiAdvice,
    policy: call.policy,
    extensions: outcome.extensions,
    // The status table was enforced on the payload; here the fields only change places.
  } as unknown as CanonicalToolResult);
