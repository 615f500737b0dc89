import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { CallRecord, FinishedCall } from '../../src/ports/call-store.ts';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import type { ResourceDescriptor } from '../../src/protocol/resource.ts';

export const sampleIds = createUlidIds(() => Date.now());

export const sampleResource = (changes: Partial<ResourceDescriptor> = {}): ResourceDescriptor => ({
  id: sampleIds.next('resource'),
  kind: 'image',
  role: 'output',
  mimeType: 'image/png',
  fileName: 'picture.png',
  sizeBytes: 42,
  sha256: 'a'.repeat(64),
  url: 'http://127.0.0.1/v1/resources/x/picture.png',
  access: { type: 'managed', expiresAt: null, requiresAuth: true },
  source: { type: 'generated', provider: null },
  dimensions: null,
  durationMs: null,
  metadata: {},
  ...changes,
});

export type SampleCall = {
  readonly owner?: string;
  readonly toolName?: string;
  readonly data?: JsonValue;
  readonly resources?: readonly ResourceDescriptor[];
  readonly resultId?: string;
  readonly record?: Partial<CallRecord> | null;
};

/** A successful call as the runtime would store it. */
export const sampleCall = (sample: SampleCall = {}): FinishedCall => {
  const { owner = 'owner', toolName = 'Sample', data = { n: 1 }, resources = [] } = sample;
  const resultId = sample.resultId ?? sampleIds.next('result');
  const invocationId = sampleIds.next('invocation');
  const requestId = sampleIds.next('request');
  const recordId = sample.record === null ? null : (sample.record?.id ?? sampleIds.next('record'));
  const startedAt = sample.record?.startedAt ?? '2026-11-30T10:00:00.000Z';
  const result = {
    protocol: { name: 'vcp.tool-result', version: '1.0' },
    id: resultId,
    status: 'success',
    tool: { name: toolName, displayName: toolName, version: '1.0.0', command: 'Run' },
    execution: {
      invocationId,
      requestId,
      recordId,
      startedAt,
      finishedAt: startedAt,
      durationMs: 1.25,
      timeoutMs: 1_000,
      attempt: 1,
    },
    actor: null,
    origin: { source: 'human', nodeId: null, serverId: 'test', distributed: false, requestIp: null },
    data,
    resources: [...resources],
    warnings: [],
    error: null,
    task: null,
    presentation: null,
    aiAdvice: null,
    policy: { classification: 'internal', containsSensitiveData: false, redactionsApplied: [] },
    extensions: {},
  } satisfies CanonicalToolResult;
  if (recordId === null) return { owner, result, record: null };
  const record: CallRecord = {
    owner,
    resultId,
    invocationId,
    requestId,
    toolName,
    command: 'Run',
    status: 'success',
    errorCode: null,
    source: 'human',
    actor: null,
    startedAt,
    durationMs: 1.25,
    audit: { data: 'short' },
    ...sample.record,
    id: recordId,
  };
  return { owner, result, record };
};
