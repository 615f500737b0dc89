// The views of a result that are no wire vocabulary of the protocol: what their presenters return, as JSON Schemas.
// test/pins/openapi-answers.test.ts holds the answers of a server against them.

import { ApprovalNote } from '../../src/protocol/approval.ts';
import { z } from 'zod';
import { Execution, Origin, PolicySummary, ToolIdentity } from '../../src/protocol/canonical-tool-result.ts';
import { ToolStatus } from '../../src/protocol/status.ts';
import { ref } from './openapi-operation.ts';

const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const anything = ref('JsonValue');

/** All properties are there, and no others. */
const record = (description: string, properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** What a view takes over from the canonical result as it is. */
const asInResult = (schema: z.ZodType): object => {
  const { $schema: _, ...bare } = z.toJSONSchema(schema, { io: 'input' });
  return bare;
};

const redactions = listOf(
  record('Where policy took something out, and why; never what.', { pointer: text, reason: text }),
);

const omissions = listOf(
  record('What was left out for its size.', {
    pointer: text,
    unit: { enum: ['items', 'fields', 'characters', 'levels'] },
    originalCount: count,
    keptCount: count,
  }),
);

/** By the names that the document gives them. */
export const VIEW_SCHEMAS = {
  AiView: record('What a model reads (§8).', {
    text: { type: 'string', description: 'The result as Markdown, within the budget.' },
    content: listOf({
      anyOf: [
        record('Text.', { type: { const: 'text' }, text }),
        record('A resource that the model can take in.', { type: { enum: ['image', 'audio'] }, resourceId: text }),
      ],
    }),
    omitted: record('What the text leaves out; `GET /v1/results/{id}?pointer=…` has it.', {
      fields: omissions,
      resources: listOf(text),
      redactions,
      resultId: text,
      howToRead: { type: 'string', description: 'How a part is read by its pointer.' },
    }),
  }),
  WorkflowValue: record('What a workflow node reads (§9.2).', {
    resultId: text,
    tool: text,
    command: nullable(text),
    status: asInResult(ToolStatus),
    data: anything,
    resources: listOf(ref('ResourceDescriptor')),
    warnings: listOf(ref('Warning')),
    error: nullable(ref('ToolError')),
    task: nullable(ref('Task')),
    aiAdvice: nullable(ref('AiAdvice')),
    outputs: listOf(
      record('A place that a connection can start from.', {
        pointer: text,
        type: { enum: ['null', 'boolean', 'number', 'string', 'array', 'object', 'resource'] },
      }),
    ),
    outputsOmitted: count,
    omitted: omissions,
    howToRead: { type: 'string', description: 'How a part is read by its pointer.' },
    extensions: ref('JsonObject'),
    redactions,
  }),
  AuditView: record('What an audit keeps (§4.9).', {
    resultId: text,
    status: asInResult(ToolStatus),
    tool: asInResult(ToolIdentity),
    execution: asInResult(Execution),
    actor: nullable(ref('Actor')),
    origin: asInResult(Origin),
    summary: nullable(text),
    data: anything,
    omitted: omissions,
    howToRead: { type: 'string', description: 'How a part is read by its pointer.' },
    resources: listOf(
      record('Enough to find and verify a resource, nothing to open it with.', {
        id: text,
        kind: text,
        mimeType: text,
        fileName: text,
        sizeBytes: nullable(count),
        sha256: nullable(text),
      }),
    ),
    warnings: listOf(ref('Warning')),
    error: nullable(ref('ToolError')),
    task: nullable(ref('Task')),
    approval: nullable(asInResult(ApprovalNote)),
    advice: nullable(text),
    policy: asInResult(PolicySummary),
  }),
  ResultPart: record('One part of a view: of a list or a text, a page of it.', {
    resultId: text,
    view: text,
    pointer: text,
    value: anything,
    offset: count,
    total: nullable(count),
    nextOffset: nullable(count),
  }),
  CallRecord: record('The audit of one call, with what it is found by.', {
    id: text,
    owner: text,
    resultId: text,
    invocationId: text,
    requestId: text,
    toolName: text,
    command: nullable(text),
    status: text,
    errorCode: nullable(text),
    source: text,
    actor: nullable(text),
    startedAt: text,
    durationMs: { type: 'number', minimum: 0 },
    audit: ref('AuditView'),
  }),
  RecordPage: record('A page of records, newest first.', {
    records: listOf(ref('CallRecord')),
    nextCursor: nullable(text),
  }),
  Readiness: {
    type: 'object',
    properties: {
      ready: { type: 'boolean' },
      checks: {
        ...listOf(
          record('One thing that must be right.', {
            name: text,
            ok: { type: 'boolean' },
            reason: nullable(text),
            durationMs: { type: 'number', minimum: 0 },
          }),
        ),
        description: 'For operators: what was looked at.',
      },
    },
    required: ['ready'],
    additionalProperties: false,
  },
  Version: record('Versions.', {
    name: text,
    version: text,
    protocol: record('The protocol.', { name: text, version: text }),
  }),
} as const;
