import { describe, expect, it } from 'vitest';
import { BridgeEnvelope } from '../../../src/protocol/bridge-envelope.ts';
import { HumanToolRequest, Invocation } from '../../../src/protocol/invocation.ts';
import { ProgressEvent } from '../../../src/protocol/progress-event.ts';
import { CancelFrame, StdoutFrame, ToolInvocationFrame } from '../../../src/protocol/stdio-frame.ts';
import { canonicalResult, ULID } from '../../support/sample-values.ts';

const invocationId = `ti_${ULID}`;
const context = {
  invocationId,
  requestId: `req_${ULID}`,
  toolName: 'Sample',
  source: 'human',
  actor: null,
  requestIp: null,
  deadline: '2026-07-11T07:30:00.000Z',
  resourceDir: null,
};

describe('frames from a plugin', () => {
  it.each([
    { vcp: 'tool-result', version: '1.0', payload: { status: 'success' } },
    { vcp: 'tool-result', version: '1.0', payload: null },
    { vcp: 'tool-result', version: '1.0', invocationId, payload: {} },
    { vcp: 'progress', version: '1.0', payload: { stage: 'downloading', progress: 0.4 } },
    { vcp: 'progress', version: '1.0', payload: {} },
  ])('may be %j', (frame) => {
    expect(StdoutFrame.safeParse(frame).success).toBe(true);
  });

  it.each([
    { vcp: 'tool-result', version: '1.0' },
    { vcp: 'tool-result', version: '2.0', payload: {} },
    { vcp: 'tool-result', version: '1.0', payload: {}, status: 'success' },
    { vcp: 'result', version: '1.0', payload: {} },
    { version: '1.0', payload: {} },
    { vcp: 'progress', version: '1.0', payload: { progress: 40 } },
    { vcp: 'progress', version: '1.0', payload: { percent: 1 } },
    { vcp: 'tool-invocation', version: '1.0', payload: {} },
    { vcp: 'cancel', version: '1.0', invocationId },
    { status: 'success', data: {} },
    [],
    null,
  ])('may not be %j', (frame) => {
    expect(StdoutFrame.safeParse(frame).success).toBe(false);
  });
});

describe('frames to a plugin', () => {
  const payload = { command: 'Run', arguments: { a: 1 }, context };

  it('carry the call, its ids and its deadline', () => {
    expect(ToolInvocationFrame.safeParse({ vcp: 'tool-invocation', version: '1.0', payload }).success).toBe(true);
    const task = { id: `task_${ULID}`, callbackUrl: 'http://127.0.0.1:6005/plugin-callback/Sample/x', token: 't' };
    expect(
      ToolInvocationFrame.safeParse({
        vcp: 'tool-invocation',
        version: '1.0',
        payload: { ...payload, context: { ...context, task } },
      }).success,
    ).toBe(true);
  });

  it.each(Object.keys(context))('are refused without %s', (field) => {
    const { [field as keyof typeof context]: _, ...without } = context;
    expect(
      ToolInvocationFrame.safeParse({
        vcp: 'tool-invocation',
        version: '1.0',
        payload: { ...payload, context: without },
      }).success,
    ).toBe(false);
  });

  it('cancel exactly one call', () => {
    expect(CancelFrame.safeParse({ vcp: 'cancel', version: '1.0', invocationId }).success).toBe(true);
    expect(CancelFrame.safeParse({ vcp: 'cancel', version: '1.0' }).success).toBe(false);
  });
});

describe('requests', () => {
  it('of a person need a tool only', () => {
    expect(HumanToolRequest.parse({ tool: 'Sample' })).toEqual({
      tool: 'Sample',
      arguments: {},
      options: {},
    });
  });

  it.each([
    {},
    { tool: '' },
    { tool: 'a', arguments: [] },
    { tool: 'a', arguments: null },
    { tool: 'a', options: { view: 'raw' } },
    { tool: 'a', options: { timeoutMs: 0 } },
    { tool: 'a', toolName: 'b' },
  ])('of a person may not be %j', (request) => {
    expect(HumanToolRequest.safeParse(request).success).toBe(false);
  });

  it.each(['ai-loop', 'human', 'workflow', 'scheduler', 'bridge', 'mcp', 'distributed', 'callback', 'cli'])(
    'come from %s',
    (source) => {
      expect(Invocation.safeParse({ toolName: 'Sample', context: { source } }).success).toBe(true);
    },
  );

  it('come from no other source', () => {
    expect(Invocation.safeParse({ toolName: 'Sample', context: { source: 'web' } }).success).toBe(false);
  });
});

describe('a bridge envelope', () => {
  const envelope = {
    type: 'vcp_tool_result',
    protocolVersion: '1.0',
    requestId: `req_${ULID}`,
    result: canonicalResult(),
  };

  it('holds a whole canonical result', () => {
    expect(BridgeEnvelope.safeParse(envelope).success).toBe(true);
    expect(BridgeEnvelope.safeParse({ ...envelope, result: { status: 'success', result: {} } }).success).toBe(false);
  });

  it('has no error of its own', () => {
    expect(BridgeEnvelope.safeParse({ ...envelope, error: 'failed' }).success).toBe(false);
  });
});

describe('a progress event', () => {
  const event = { type: 'vcp_info', invocationId, taskId: null, stage: 'downloading', progress: 0.4, message: null };

  it('never stands for a result', () => {
    expect(ProgressEvent.safeParse(event).success).toBe(true);
    expect(ProgressEvent.safeParse({ ...event, status: 'success' }).success).toBe(false);
    expect(ProgressEvent.safeParse({ ...event, type: 'vcp_result' }).success).toBe(false);
  });
});
