import { describe, expect, it } from 'vitest';
import { CallStopped, TransportError } from '../../../src/ports/transport.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { callSample, createMemoryRuntime, success, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { manifest, ULID } from '../../support/sample-values.ts';

const strict = manifest(
  {},
  {
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
  },
);

const throwing = (error: unknown): MemoryRuntimeOptions => ({
  answer: () => {
    throw error;
  },
});

type Case = {
  readonly options?: MemoryRuntimeOptions;
  readonly args?: Record<string, unknown>;
  readonly call?: Parameters<typeof callSample>[2];
  readonly status?: string;
  readonly code: string;
  readonly category: string;
};

const CASES: Record<string, Case> = {
  'an unknown tool': { call: { toolName: 'Smaple' }, code: 'TOOL_NOT_FOUND', category: 'validation' },
  'a disabled tool': {
    options: { manifests: [manifest({ enabled: false })] },
    code: 'TOOL_DISABLED',
    category: 'runtime',
  },
  'an argument that is absent': { options: { manifests: [strict] }, code: 'MISSING_ARGUMENT', category: 'validation' },
  'an argument that does not fit': {
    options: { manifests: [strict] },
    args: { n: 'x' },
    code: 'INVALID_ARGUMENT',
    category: 'validation',
  },
  'an argument that JSON cannot carry': { args: { at: new Date(0) }, code: 'INVALID_ARGUMENT', category: 'validation' },
  'a command that nobody approves': {
    options: { manifests: [manifest({}, { approval: true })], limits: { approvalMs: 20 } },
    code: 'APPROVAL_TIMEOUT',
    category: 'approval',
  },
  'a caller that asks for approval, which nobody gives': {
    options: { limits: { approvalMs: 20 } },
    call: { options: { approval: true } },
    code: 'APPROVAL_TIMEOUT',
    category: 'approval',
  },
  'a call that a rule rejects': {
    options: { approvalRules: () => [{ tools: ['*'], effect: 'reject', overrideManifest: false }] },
    code: 'APPROVAL_REJECTED',
    category: 'approval',
  },
  'a transport that is not there': {
    options: {
      manifests: [manifest({ communication: { protocol: 'stdio' }, entryPoint: { type: 'command', command: 'x' } })],
    },
    code: 'TRANSPORT_FAILURE',
    category: 'transport',
  },
  'a transport that fails': {
    options: throwing(new TransportError('TRANSPORT_FAILURE', 'the process died', { exitCode: 3 }, true)),
    code: 'TRANSPORT_FAILURE',
    category: 'transport',
  },
  'a transport that finds no frame': {
    options: throwing(new TransportError('INVALID_TOOL_RESULT', 'no frame')),
    code: 'INVALID_TOOL_RESULT',
    category: 'protocol',
  },
  'a bug in a transport': {
    options: throwing(new TypeError('x is not a function')),
    code: 'INTERNAL_ERROR',
    category: 'runtime',
  },
  'something thrown that is no error': { options: throwing('text'), code: 'INTERNAL_ERROR', category: 'runtime' },
  'nothing thrown': { options: throwing(undefined), code: 'INTERNAL_ERROR', category: 'runtime' },
  'a stop by time': {
    options: throwing(new CallStopped('timeout', { stderr: 'busy' })),
    status: 'timeout',
    code: 'TOOL_TIMEOUT',
    category: 'timeout',
  },
  'a stop by the caller': {
    options: throwing(new CallStopped('cancelled')),
    status: 'cancelled',
    code: 'TOOL_CANCELLED',
    category: 'cancelled',
  },
  'an answer that is no payload': {
    options: { answer: () => 'done' },
    code: 'INVALID_TOOL_RESULT',
    category: 'protocol',
  },
  'no answer': { options: { answer: () => undefined }, code: 'INVALID_TOOL_RESULT', category: 'protocol' },
  'a forged field': {
    options: { answer: () => success(1, { id: 'tr_1' }) },
    code: 'INVALID_TOOL_RESULT',
    category: 'protocol',
  },
  'a claim to have timed out': {
    options: { answer: () => ({ status: 'timeout', data: null, error: { code: 'TOOL_TIMEOUT', message: 'm' } }) },
    code: 'INVALID_TOOL_RESULT',
    category: 'protocol',
  },
  'a reference to nothing': {
    options: { answer: () => success({ $resource: 'a' }) },
    code: 'INVALID_TOOL_RESULT',
    category: 'protocol',
  },
  'a resource that is too large': {
    options: {
      answer: () => success(1, { resources: [{ id: 'a', base64: 'AAAAAAAA' }] }),
      limits: { resourceBytes: 2 },
    },
    code: 'RESOURCE_TOO_LARGE',
    category: 'validation',
  },
  'data that does not fit its schema': {
    options: { manifests: [strict], answer: () => success({ total: 'x' }) },
    args: { n: 1 },
    code: 'INVALID_TOOL_RESULT',
    category: 'validation',
  },
  'a task that the command may not have': {
    options: { answer: () => ({ status: 'accepted', data: null, task: { id: `task_${ULID}`, state: 'queued' } }) },
    code: 'INVALID_TOOL_RESULT',
    category: 'protocol',
  },
};

describe('a call always resolves with a canonical result', () => {
  it.each(Object.entries(CASES))(
    'for %s',
    async (_, { options = {}, args = {}, call = {}, status = 'error', code, category }) => {
      const parts = createMemoryRuntime(options);
      const result = await callSample(parts, args, call);
      expect([result.status, result.error?.code, result.error?.category]).toEqual([status, code, category]);
      expect(CanonicalToolResult.safeParse(result).error?.issues ?? []).toEqual([]);
      expect(Object.isFrozen(result)).toBe(true);
      expect(result.data).toBeNull();
      expect(result.tool.name).toBe(call.toolName ?? 'Sample');
      expect((await parts.calls.getResult(result.id))?.result).toEqual(result);
    },
  );

  it.each([{ args: null }, { args: [1] }, { args: 'text' }, { args: 5 }])(
    'also for a caller who breaks the types: %j',
    async ({ args }) => {
      const result = await callSample(createMemoryRuntime(), args as never);
      expect(CanonicalToolResult.safeParse(result).success).toBe(true);
    },
  );

  it('with the details that the transport saw', async () => {
    const failed = await callSample(
      createMemoryRuntime(throwing(new TransportError('TRANSPORT_FAILURE', 'died', { exitCode: 3 }, true))),
    );
    expect(failed.error).toMatchObject({ message: 'died', details: { exitCode: 3 }, retryable: true });
    const late = await callSample(createMemoryRuntime(throwing(new CallStopped('timeout', { stderr: 'busy' }))));
    expect(late.error?.details).toEqual({ limit: 'timeoutMs', timeoutMs: 60_000, stderr: 'busy' });
  });

  it('that suggests the tool that was meant', async () => {
    const result = await callSample(createMemoryRuntime(), {}, { toolName: 'Smaple' });
    expect(result.error).toMatchObject({
      message: 'there is no tool "Smaple"; did you mean "Sample"?',
      target: 'tool',
      details: { suggestion: 'Sample' },
    });
    expect(result.tool).toEqual({ name: 'Smaple', displayName: null, version: null, command: null });
    expect(result.execution.timeoutMs).toBeNull();
  });

  it('that tells nobody outside of a bug’s details, and the log all of them', async () => {
    const parts = createMemoryRuntime(throwing(new TypeError('x is not a function')));
    const result = await callSample(parts);
    expect(result.error?.message).toBe('the runtime met a fault of its own; its log has the details');
    expect(parts.logged.find((entry) => entry.event === 'call.fault')?.fields['fault']).toContain(
      'x is not a function',
    );
  });

  it('whose text is valid Unicode, however the input was cut', async () => {
    const tool = manifest({
      capabilities: {
        invocationCommands: ['A', 'B'].map((name) => ({
          commandIdentifier: name,
          description: 'd',
          inputSchema: { properties: { command: { const: name } } },
          outputSchema: true,
        })),
      },
    });
    const result = await callSample(createMemoryRuntime({ manifests: [tool] }), { command: `a${'😀'.repeat(500)}` });
    expect(result.error?.code).toBe('UNKNOWN_COMMAND');
    expect(result.error?.message.isWellFormed()).toBe(true);
    const unknown = await callSample(createMemoryRuntime(), {}, { toolName: `a${'😀'.repeat(100)}` });
    expect(unknown.error?.message.isWellFormed()).toBe(true);
  });
});
