import { excerpt } from '../lib/excerpt.ts';
import { sampleJson, type Omission } from '../lib/sample-json.ts';
import type {
  CanonicalToolResult,
  Execution,
  Origin,
  PolicySummary,
  ToolIdentity,
} from '../protocol/canonical-tool-result.ts';
import { APPROVAL_EXTENSION, ApprovalNote } from '../protocol/approval.ts';
import type { ToolError } from '../protocol/error.ts';
import type { Actor } from '../protocol/invocation.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Task } from '../protocol/task.ts';
import type { Warning } from '../protocol/warning.ts';
import { howToRead } from './how-to-read.ts';
import { leftOut } from './left-out.ts';

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
  readonly howToRead: string;
  readonly resources: readonly AuditedResource[];
  readonly warnings: readonly Warning[];
  readonly error: ToolError | null;
  readonly task: Task | null;
  /** Who decided whether the call was made, where it needed approval. */
  readonly approval: ApprovalNote | null;
  readonly advice: string | null;
  readonly policy: PolicySummary;
};

export type AuditContext = { readonly dataCharacters: number };

const ADVICE_CHARACTERS = 500;
const DEPTH = 16;
/** Redactions that are listed one by one, the rest is counted; and the characters that each pointer may have. */
const REDACTIONS = 100;
const POINTER_CHARACTERS = 300;

/** The result must have been redacted already: this view adds bounds, not secrecy. */
export const presentAudit = (result: CanonicalToolResult, context: AuditContext): AuditView => {
  const omitted: Omission[] = [];
  const bounded = <T>(value: T, pointer: string): T => {
    const options = { budget: context.dataCharacters, depth: DEPTH, path: pointer.slice(1).split('/') };
    const sample = sampleJson(value as unknown as JsonValue, options);
    omitted.push(...sample.omissions);
    return sample.value as unknown as T;
  };
  const { presentation, aiAdvice } = result;
  return {
    resultId: result.id,
    status: result.status,
    tool: result.tool,
    execution: result.execution,
    actor: result.actor,
    origin: result.origin,
    summary: bounded(presentation?.summary ?? null, '/presentation/summary'),
    data: bounded(result.data, '/data'),
    resources: result.resources.map(auditedResource),
    warnings: bounded(result.warnings, '/warnings'),
    error: result.error === null ? null : boundedError(result.error, bounded),
    task: result.task,
    approval: approvalOf(result),
    advice: aiAdvice?.message?.slice(0, ADVICE_CHARACTERS).toWellFormed() ?? null,
    policy: { ...result.policy, redactionsApplied: listedRedactions(result) },
    omitted: [...omitted, ...noPlaceFor(result), ...unlistedRedactions(result)],
    howToRead: howToRead(result.id),
  };
};

/** What is said and what is told in detail are bounded apart, so that neither pushes out the other. */
const boundedError = (error: ToolError, bounded: <T>(value: T, pointer: string) => T): ToolError => ({
  ...error,
  message: bounded(error.message, '/error/message'),
  cause: bounded(error.cause, '/error/cause'),
  details: bounded(error.details, '/error/details'),
});

/** The core's own word: plugins cannot set it. */
const approvalOf = ({ extensions }: CanonicalToolResult): ApprovalNote | null =>
  ApprovalNote.safeParse(extensions[APPROVAL_EXTENSION]).data ?? null;

const auditedResource = (resource: ResourceDescriptor): AuditedResource => {
  const { id, kind, mimeType, fileName, sizeBytes, sha256 } = resource;
  return { id, kind, mimeType, fileName, sizeBytes, sha256 };
};

/** What an audit does not keep at all. */
const noPlaceFor = ({ presentation, aiAdvice, resources, extensions }: CanonicalToolResult): Omission[] => {
  const omissions: Omission[] = [];
  const fields = (pointer: string, value: object, keptCount: number) => {
    const originalCount = Object.values(value).filter((field) => field !== null).length;
    if (originalCount > keptCount) omissions.push({ pointer, unit: 'fields', originalCount, keptCount });
  };
  if (presentation !== null) fields('/presentation', presentation, presentation.summary === null ? 0 : 1);
  if (aiAdvice !== null) {
    fields('/aiAdvice', aiAdvice, aiAdvice.message === null ? 0 : 1);
    const originalCount = aiAdvice.message?.length ?? 0;
    if (originalCount > ADVICE_CHARACTERS)
      omissions.push({ pointer: '/aiAdvice/message', unit: 'characters', originalCount, keptCount: ADVICE_CHARACTERS });
  }
  resources.forEach((resource, index) => {
    const kept = Object.values(auditedResource(resource)).filter((field) => field !== null).length;
    fields(`/resources/${index}`, resource, kept);
  });
  const { [APPROVAL_EXTENSION]: _, ...others } = extensions;
  return [...omissions, ...leftOut('/extensions', others)];
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
