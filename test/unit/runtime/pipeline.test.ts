import { describe, expect, it } from 'vitest';
import { createMemoryResourceStore } from '../../../adapters/memory/memory-resource-store.ts';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { base64Of, MAGIC, manifest } from '../../support/sample-values.ts';

describe('a call that comes through', () => {
  it('says who called what, when and for how long', async () => {
    const parts = createMemoryRuntime({ answer: () => success({ total: 1 }, { presentation: { summary: 'one' } }) });
    const result = await parts.runtime.execute({
      toolName: 'Sample',
      arguments: {},
      context: {
        source: 'workflow',
        owner: 'alice',
        actor: { type: 'human', id: 'u', name: 'Alice', maid: null },
        requestIp: '10.0.0.1',
        nodeId: 'n1',
        requestId: 'req_01JABCDEFGHJKMNPQRSTVWXYZ0',
      },
    });
    expect(CanonicalToolResult.safeParse(result).error?.issues ?? []).toEqual([]);
    expect(result).toMatchObject({
      status: 'success',
      tool: { name: 'Sample', displayName: 'Sample tool', version: '1.0.0', command: 'Run' },
      execution: { requestId: 'req_01JABCDEFGHJKMNPQRSTVWXYZ0', timeoutMs: 60_000, attempt: 1 },
      actor: { name: 'Alice' },
      origin: { source: 'workflow', nodeId: 'n1', serverId: 'test', distributed: false, requestIp: '10.0.0.1' },
      data: { total: 1 },
      presentation: { summary: 'one' },
      error: null,
    });
    expect(result.execution.durationMs).toBeGreaterThanOrEqual(0);
    expect(Date.parse(result.execution.finishedAt)).toBeGreaterThanOrEqual(Date.parse(result.execution.startedAt));
  });

  it('is sealed: neither its reader nor its plugin can change it', async () => {
    const kept = { rows: [{ a: 1 }] };
    const result = await callSample(createMemoryRuntime({ answer: () => success(kept) }));
    expect(() => void (result.data as typeof kept).rows.push({ a: 2 })).toThrow(TypeError);
    expect(() => void Object.assign(result.execution, { attempt: 2 })).toThrow(TypeError);
  });

  it('publishes resources before data is held against its schema', async () => {
    const image = { $ref: 'urn:vcp:schema:1.0:resource-reference' };
    const parts = createMemoryRuntime({
      manifests: [
        manifest(
          {},
          { outputSchema: { type: 'object', properties: { image }, required: ['image'], additionalProperties: false } },
        ),
      ],
      answer: () => success({ image: { $resource: 'a' } }, { resources: [{ id: 'a', base64: base64Of(MAGIC.png) }] }),
    });
    const result = await callSample(parts);
    expect(CanonicalToolResult.safeParse(result).error?.issues ?? []).toEqual([]);
    expect(result.data).toEqual({ image: { $resource: result.resources[0]?.id } });
    expect((await parts.calls.getResource(result.resources[0]?.id ?? ''))?.owner).toBe('alice');
    expect(JSON.stringify(result)).not.toContain(base64Of(MAGIC.png));
  });

  it('hands the tool what it needs, defaults filled in', async () => {
    const parts = createMemoryRuntime({
      manifests: [manifest({}, { inputSchema: { type: 'object', properties: { n: { default: 5 } } } })],
    });
    const result = await callSample(parts, { a: 1 });
    const [call] = parts.delivered;
    expect(call?.arguments).toEqual({ a: 1, n: 5 });
    expect([call?.invocationId, call?.requestId, call?.command.commandIdentifier]).toEqual([
      result.execution.invocationId,
      result.execution.requestId,
      'Run',
    ]);
  });

  it('reports progress as events of its own, never as a result', async () => {
    const parts = createMemoryRuntime({
      answer: (call) => {
        call.reportProgress({ stage: 'half', progress: 0.5, message: null });
        return success(null);
      },
    });
    const result = await callSample(parts);
    expect(parts.events).toEqual([
      {
        type: 'vcp_info',
        invocationId: result.execution.invocationId,
        requestId: result.execution.requestId,
        taskId: null,
        toolName: 'Sample',
        stage: 'half',
        progress: 0.5,
        message: null,
      },
    ]);
    expect(parts.emitted[0]).toMatchObject({ audience: { to: 'owner', owner: 'alice' } });
  });

  it('drops progress that is no report', async () => {
    const parts = createMemoryRuntime({
      answer: (call) => {
        for (const progress of ['half', 2, -1, Number.NaN, Infinity, {}])
          call.reportProgress({ stage: null, progress, message: null } as never);
        for (const report of [null, 'half', { stage: 5 }, { message: 'm'.repeat(2_001) }, { unknown: 1 }])
          call.reportProgress(report as never);
        return success(null);
      },
    });
    expect((await callSample(parts)).status).toBe('success');
    expect(parts.events).toEqual([]);
  });

  it('drops a flood of progress once it is one', async () => {
    const parts = createMemoryRuntime({
      limits: { progressFrames: 3 },
      answer: (call) => {
        for (let n = 0; n < 1_000; n += 1) call.reportProgress({ stage: `step ${n}`, progress: null, message: null });
        return success(null);
      },
    });
    expect((await callSample(parts)).status).toBe('success');
    expect(parts.events.map(({ stage }) => stage)).toEqual(['step 0', 'step 1', 'step 2']);
    expect((await callSample(parts)).status).toBe('success');
    expect(parts.events).toHaveLength(6);
  });

  it('counts progress that is no report towards the flood', async () => {
    const parts = createMemoryRuntime({
      limits: { progressFrames: 3 },
      answer: (call) => {
        for (const stage of ['first', 5, 'third', 'fourth'])
          call.reportProgress({ stage, progress: null, message: null } as never);
        return success(null);
      },
    });
    await callSample(parts);
    expect(parts.events.map(({ stage }) => stage)).toEqual(['first', 'third']);
  });

  it('leaves a record with its ids, and logs them without payload', async () => {
    const parts = createMemoryRuntime({ answer: () => success({ text: 'business', password: 'hunter22' }) });
    const result = await callSample(parts);
    const record = await parts.calls.getRecord(result.execution.recordId ?? '');
    expect(record).toMatchObject({
      owner: 'alice',
      resultId: result.id,
      toolName: 'Sample',
      command: 'Run',
      status: 'success',
      errorCode: null,
      source: 'human',
    });
    expect(record?.audit['data']).toEqual({ text: 'business', password: '[redacted: secret]' });
    expect(parts.logged.at(-1)).toMatchObject({
      event: 'call.finished',
      fields: {
        invocationId: result.execution.invocationId,
        resultId: result.id,
        recordId: record?.id,
        toolName: 'Sample',
      },
    });
    expect(JSON.stringify(parts.logged)).not.toContain('business');
    expect(result.data).toEqual({ text: 'business', password: 'hunter22' });
    expect(result.policy).toEqual({
      classification: 'confidential',
      containsSensitiveData: true,
      redactionsApplied: [],
    });
  });

  it('is recorded also when its caller asks for no record: options only tighten (§14.1)', async () => {
    const parts = createMemoryRuntime();
    const result = await callSample(parts, {}, { options: { record: false } });
    expect((await parts.calls.listRecords({ owner: null, limit: 10 })).records.map((record) => record.id)).toEqual([
      result.execution.recordId,
    ]);
  });
});

describe('a store that fails', () => {
  it('does not take the result away', async () => {
    const calls = { ...createMemoryCallStore(), saveCall: () => Promise.reject(new Error('disk full')) };
    const parts = createMemoryRuntime({ calls, answer: () => success({ acted: true }) });
    const result = await callSample(parts);
    expect(result).toMatchObject({ status: 'success', data: { acted: true }, execution: { recordId: null } });
    expect(result.warnings.map((warning) => warning.code)).toEqual(['RESULT_NOT_STORED']);
    expect(CanonicalToolResult.safeParse(result).success).toBe(true);
    expect(() => void (result.warnings as unknown[]).push(1)).toThrow(TypeError);
    expect(parts.logged.map((entry) => entry.event)).toContain('call.not-stored');
  });

  it('for blobs is a failure of this call alone', async () => {
    const blobs = { ...createMemoryResourceStore(), put: () => Promise.reject(new Error('disk full')) };
    const parts = createMemoryRuntime({ blobs, answer: () => success(null, { resources: [{ id: 'a', base64: '' }] }) });
    expect((await callSample(parts)).error?.code).toBe('INTERNAL_ERROR');
  });
});

describe('a workspace that cannot be cleaned up', () => {
  it('does not take the result away', async () => {
    const workspace = { directoryFor: async () => '/somewhere', release: () => Promise.reject(new Error('busy')) };
    const parts = createMemoryRuntime({
      workspace,
      answer: async (call) => {
        await call.resourceDirectory();
        return success({ acted: true });
      },
    });
    expect(await callSample(parts)).toMatchObject({ status: 'success', data: { acted: true } });
    expect(parts.logged.map((entry) => entry.event)).toContain('call.not-cleaned');
  });
});
