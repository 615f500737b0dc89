import { toJsonPointer } from '../lib/json-pointer.ts';
import type { Omission } from '../lib/sample-json.ts';
import type { CanonicalToolResult, Redaction } from '../protocol/canonical-tool-result.ts';
import type { ToolError } from '../protocol/error.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { AiAdvice } from '../protocol/ai-advice.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Task } from '../protocol/task.ts';
import type { Warning } from '../protocol/warning.ts';
import { howToRead } from './how-to-read.ts';
import { leftOut } from './left-out.ts';

/** A place of the value that a connection can start from. `pointer` is into this view. */
export type WorkflowOutput = { readonly pointer: string; readonly type: JsonTypeName };

export type JsonTypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'resource';

/** What a workflow node reads (§9.2): native types, references, and the few fields that it branches on. */
export type WorkflowValue = {
  readonly resultId: string;
  readonly tool: string;
  readonly command: string | null;
  readonly status: CanonicalToolResult['status'];
  readonly data: JsonValue;
  readonly resources: readonly ResourceDescriptor[];
  readonly warnings: readonly Warning[];
  readonly error: ToolError | null;
  readonly task: Task | null;
  readonly aiAdvice: AiAdvice | null;
  readonly outputs: readonly WorkflowOutput[];
  /** Places beyond those that are listed; the data itself is whole. */
  readonly outputsOmitted: number;
  /** What this view has no place for, and outputs that are not listed. */
  readonly omitted: readonly Omission[];
  readonly howToRead: string;
  readonly extensions: JsonObject;
  /** Where policy took something out; pointers are into the canonical result, which has the same `data`. */
  readonly redactions: readonly Redaction[];
};

/** Levels of objects below `data` whose fields are listed as outputs. Items of arrays are the editor's to address. */
const OUTPUT_DEPTH = 3;
const MAX_OUTPUTS = 256;

/** §9.2: no prose is added, no business field hidden; advice is kept and never acted on. */
export const presentWorkflow = (result: CanonicalToolResult): WorkflowValue => {
  const listed = outputsOf(result.data);
  return {
    resultId: result.id,
    tool: result.tool.name,
    command: result.tool.command,
    status: result.status,
    data: result.data,
    resources: result.resources,
    warnings: result.warnings,
    error: result.error,
    task: result.task,
    aiAdvice: result.aiAdvice,
    ...listed,
    omitted: [...leftOut('/presentation', result.presentation), ...unlisted(listed)],
    howToRead: howToRead(result.id),
    extensions: result.extensions as JsonObject,
    redactions: result.policy.redactionsApplied,
  };
};

type Listed = Pick<WorkflowValue, 'outputs' | 'outputsOmitted'>;

const unlisted = ({ outputs, outputsOmitted }: Listed): Omission[] =>
  outputsOmitted === 0
    ? []
    : [
        {
          pointer: '/outputs',
          unit: 'items',
          originalCount: outputs.length + outputsOmitted,
          keptCount: outputs.length,
        },
      ];

const outputsOf = (data: JsonValue): Listed => {
  const outputs: WorkflowOutput[] = [];
  let outputsOmitted = 0;
  const visit = (value: JsonValue, path: readonly PropertyKey[], depth: number) => {
    const type = typeName(value);
    if (outputs.length < MAX_OUTPUTS) outputs.push({ pointer: toJsonPointer(path), type });
    else outputsOmitted += 1;
    if (type !== 'object' || depth >= OUTPUT_DEPTH) return;
    for (const [key, child] of Object.entries(value as JsonObject)) visit(child, [...path, key], depth + 1);
  };
  visit(data, ['data'], 0);
  return { outputs, outputsOmitted };
};

const typeName = (value: JsonValue): JsonTypeName => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value as JsonTypeName;
  return typeof (value as JsonObject)['$resource'] === 'string' ? 'resource' : 'object';
};
