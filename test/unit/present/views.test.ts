import { describe, expect, it } from 'vitest';
import { presentAudit } from '../../../src/present/audit.ts';
import { presentBridge } from '../../../src/present/bridge.ts';
import { presentHuman } from '../../../src/present/human.ts';
import { presentWorkflow } from '../../../src/present/workflow.ts';
import { BridgeEnvelope } from '../../../src/protocol/bridge-envelope.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { canonicalResult, descriptor, TOOL_ERROR, ULID } from '../../support/sample-values.ts';
import { uncoveredLosses } from '../../support/omissions.ts';

const result = (fields: Record<string, unknown> = {}) => CanonicalToolResult.parse(canonicalResult(fields));
const advice = { intent: 'relay', message: 'm', resourceIds: [], renderHint: null, priority: 'normal' };

describe('the human view', () => {
  it('is the canonical result itself, advice included', () => {
    const given = result({ aiAdvice: advice });
    expect(presentHuman(given)).toBe(given);
  });
});

describe('the workflow view', () => {
  const data = {
    integer: 5,
    fraction: 0.5,
    text: '5',
    flag: false,
    nothing: null,
    list: [{ a: 1 }],
    image: { $resource: `res_${ULID}` },
    'a/b': { deep: { deeper: { deepest: 1 } } },
  };

  it('keeps native types and references as they are', () => {
    const given = result({ data });
    expect(presentWorkflow(given).data).toBe(given.data);
  });

  it('lists where a connection can start, with stable pointers', () => {
    expect(presentWorkflow(result({ data })).outputs).toEqual([
      { pointer: '/data', type: 'object' },
      { pointer: '/data/integer', type: 'number' },
      { pointer: '/data/fraction', type: 'number' },
      { pointer: '/data/text', type: 'string' },
      { pointer: '/data/flag', type: 'boolean' },
      { pointer: '/data/nothing', type: 'null' },
      { pointer: '/data/list', type: 'array' },
      { pointer: '/data/image', type: 'resource' },
      { pointer: '/data/a~1b', type: 'object' },
      { pointer: '/data/a~1b/deep', type: 'object' },
      { pointer: '/data/a~1b/deep/deeper', type: 'object' },
    ]);
  });

  it('has the fields that a workflow branches on, and advice that nobody acts on', () => {
    const view = presentWorkflow(
      result({ status: 'error', data: null, error: { ...TOOL_ERROR, details: { a: [1] } }, aiAdvice: advice }),
    );
    expect(view).toMatchObject({
      status: 'error',
      error: { code: 'INVALID_ARGUMENT', details: { a: [1] } },
      task: null,
      tool: 'Sample',
      command: 'Run',
      aiAdvice: advice,
    });
  });

  it('lists no more than 256 outputs, and counts the others', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, n]));
    const view = presentWorkflow(result({ data: wide }));
    expect([view.outputs.length, view.outputsOmitted]).toEqual([256, 745]);
  });
});

describe('the bridge view', () => {
  it('is one envelope, failures in the result', () => {
    const failed = result({ status: 'error', data: null, error: TOOL_ERROR });
    const envelope = presentBridge(failed);
    expect(BridgeEnvelope.safeParse(envelope).success).toBe(true);
    expect(envelope).toEqual({
      type: 'vcp_tool_result',
      protocolVersion: '1.0',
      requestId: `req_${ULID}`,
      result: failed,
    });
  });
});

describe('the audit view', () => {
  const audit = (fields: Record<string, unknown>, dataCharacters = 500) =>
    presentAudit(result(fields), { dataCharacters });

  it('bounds data and error details, and lists every cut', () => {
    const data = { rows: Array.from({ length: 5_000 }, (_, id) => ({ id })), text: 'x'.repeat(5_000) };
    const view = audit({ data });
    expect(JSON.stringify(view.data).length).toBeLessThan(1_500);
    expect(uncoveredLosses(data, view.data, view.omitted, '/data')).toEqual([]);
    const details = { lines: Array.from({ length: 2_000 }, (_, n) => `line ${n}`) };
    const failed = audit({ status: 'error', data: null, error: { ...TOOL_ERROR, details } });
    expect(JSON.stringify(failed.error?.details).length).toBeLessThan(2_500);
    expect(uncoveredLosses(details, failed.error?.details, failed.omitted, '/error/details')).toEqual([]);
  });

  it('bounds warnings, with their details and their number, and lists every cut', () => {
    const warning = (details: unknown) => ({ code: 'SLOW', message: 'took long', target: null, details });
    const one = [warning({ log: 'x'.repeat(2_000_000) })];
    const view = audit({ warnings: one });
    expect(JSON.stringify(view).length).toBeLessThan(3_000);
    expect(uncoveredLosses(one, view.warnings, view.omitted, '/warnings')).toEqual([]);
    const many = Array.from({ length: 5_000 }, () => warning(null));
    const flooded = audit({ warnings: many });
    expect(JSON.stringify(flooded).length).toBeLessThan(4_000);
    expect(uncoveredLosses(many, flooded.warnings, flooded.omitted, '/warnings')).toEqual([]);
  });

  it('lists a hundred redactions, with pointers of bounded length, and counts the others', () => {
    const redactionsApplied = Array.from({ length: 5_000 }, (_, n) => ({
      pointer: `/data/${n === 0 ? 'k'.repeat(2_000_000) : n}`,
      reason: 'secret',
    }));
    const view = audit({ policy: { classification: 'confidential', containsSensitiveData: true, redactionsApplied } });
    expect(view.policy.redactionsApplied).toHaveLength(100);
    expect(view.policy.redactionsApplied[0]?.pointer).toHaveLength(301);
    expect(view.policy.redactionsApplied[1]).toEqual({ pointer: '/data/1', reason: 'secret' });
    expect(view.omitted).toEqual([
      { pointer: '/policy/redactionsApplied', unit: 'items', originalCount: 5_000, keptCount: 100 },
    ]);
  });

  it('keeps enough of a resource to find and verify it, nothing to open it with', () => {
    expect(audit({ resources: [descriptor()] }).resources).toEqual([
      {
        id: `res_${ULID}`,
        kind: 'image',
        mimeType: 'image/png',
        fileName: 'picture.png',
        sizeBytes: 183_920,
        sha256: 'a'.repeat(64),
      },
    ]);
  });

  it('bounds advice without breaking a character', () => {
    const view = audit({ aiAdvice: { ...advice, message: `a${'😀'.repeat(1_000)}` } });
    expect(view.advice).toHaveLength(500);
    expect(view.advice?.isWellFormed()).toBe(true);
  });

  it('names the call by all its ids', () => {
    const view = audit({});
    expect([view.resultId, view.execution.invocationId, view.execution.requestId, view.execution.recordId]).toEqual([
      `tr_${ULID}`,
      `ti_${ULID}`,
      `req_${ULID}`,
      `tcr_${ULID}`,
    ]);
  });
});
