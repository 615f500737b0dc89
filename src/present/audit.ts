import { excerpt } from '../lib/excerpt.ts';
import { sampleJson, type Omission } from '../lib/sample-json.ts';
import type {
  CanonicalToolResult,
  Execution,
  Origin,
  PolicySummary,
  ToolIdentity,
} from '../protocol/canonical-tool-result.ts';
import type { ToolError } from '../protocol/error.ts';
import type { Actor } from '../protocol/invocation.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Task } from '../protocol/task.ts';
import type { Warning } from '../protocol/warning.ts';

/** What an audit keeps of a resource: enough to find and verify it, nothing to open it with. */
export type AuditedResource = {
  readonly id: string;
  readonly kind: string;
  readonly mimeType: string;
  readonly fileName: string;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
};

/** The audit projection (§4.9): identity, summary, sizes, hashes, codes, and the redacted data within a bound. */
export type AuditView = {
  readonly resultId: string;
  readonly status: CanonicalToolResult['status'];
  readonly tool: ToolIdentity;
  readonly execution: Execution;
  readonly actor: Actor | null;
  readonly origin: Origin;
  readonly summary: string | null;
  readonly data: JsonValue;
  readonly omitted: readonly Omission[];
  readonly resources: readonly AuditedResource[];
  readonly warnings: readonly Warning[];
  readonly error: ToolError | null;
  readonly task: Task | null;
  readonly advice: string | null;
  readonly policy: PolicySummary;
};

export type AuditContext = { readonly dataCharacters: number };

const ADVICE_CHARACTERS = 500;
const DETAILS_DEPTH = 8;
const DATA_DEPTH = 16;
/** Redactions that are listed one by one, the rest is counted; and the characters that each pointer may have. */
const REDACTIONS = 100;
const POINTER_CHARACTERS = 300;

/** The result must have been redacted already: this view adds bounds, not secrecy. */
export const presentAudit = (result: CanonicalToolResult, context: AuditContext): AuditView => {
  const data = sampleJson(result.data, { budget: context.dataCharacters, depth: DATA_DEPTH, path: ['data'] });
  const error =
    result.error === null
      ? null
      : sampleJson(result.error.details as JsonValue, {
          budget: context.dataCharacters,
          depth: DETAILS_DEPTH,
          path: ['error', 'details'],
        });
  const warnings = sampleJson(result.warnings as unknown as JsonValue, {
    budget: context.dataCharacters,
    depth: DETAILS_DEPTH,
    path: ['warnings'],
  });
  return {
    resultId: result.id,
    status: result.status,
    tool: result.tool,
    execution: result.execution,
    actor: result.actor,
    origin: result.origin,
    summary: result.presentation?.summary ?? null,
    data: data.value,
    omitted: [...data.omissions, ...(error?.omissions ?? []), ...warnings.omissions, ...unlistedRedactions(result)],
    resources: result.resources.map(({ id, kind, mimeType, fileName, sizeBytes, sha256 }) => ({
      id,
      kind,
      mimeType,
      fileName,
      sizeBytes,
      sha256,
    })),
    warnings: warnings.value as unknown as readonly Warning[],
    error: result.error === null ? null : { ...result.error, details: error?.value ?? null },
    task: result.task,
    advice: result.aiAdvice?.message?.slice(0, ADVICE_CHARACTERS).toWellFormed() ?? null,
    policy: { ...result.policy, redactionsApplied: listedRedactions(result) },
  };
};

const listedRedactions = ({ policy }: CanonicalToolResult): PolicySummary['redactionsApplied'] =>
  policy.redactionsApplied.slice(0, REDACTIONS).map(({ pointer, reason }) => ({
    pointer: excerpt(pointer, POINTER_CHARACTERS),
    reason,
  }));

const unlistedRedactions = ({ policy }: CanonicalToolResult): readonly Omission[] =>
  policy.redactionsApplied.length <= REDACTIONS
    ? []
    : [
        {
          pointer: '/policy/redactionsApplied',
          unit: 'items',
          originalCount: policy.redactionsApplied.length,
          keptCount: REDACTIONS,
        },
      ];
