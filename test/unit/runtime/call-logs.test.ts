import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/ports/transport.ts';
import { callSample, createMemoryApp, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';
import { boundLogger, type Logger } from '../../../src/ports/logger.ts';

describe('a bound logger', () => {
  it('adds its fields to every line of every level, and a line may say more', () => {
    const lines: unknown[] = [];
    const keep =
      (level: string): Logger['info'] =>
      (event, fields) =>
        void lines.push([level, event, fields]);
    const logger: Logger = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
    const bound = boundLogger(boundLogger(logger, { a: 1 }), { b: 2 });
    bound.debug('one');
    bound.info('two', { c: 3 });
    bound.warn('three');
    bound.error('four');
    expect(lines).toEqual([
      ['debug', 'one', { a: 1, b: 2 }],
      ['info', 'two', { a: 1, b: 2, c: 3 }],
      ['warn', 'three', { a: 1, b: 2 }],
      ['error', 'four', { a: 1, b: 2 }],
    ]);
  });
});

describe('the log lines of a call', () => {
  it('all carry its ids', async () => {
    const parts = createMemoryRuntime({
      answer: ({ reportProgress, resourceDirectory }) => {
        void resourceDirectory();
        reportProgress({ stage: 's', progress: 0.5, message: 'm' });
        throw new TransportError('TRANSPORT_FAILURE', 'gone', { exitCode: 9, signal: null, stderr: 'a secret' });
      },
      workspace: {
        directoryFor: async () => '/tmp/none',
        release: () => Promise.reject(new Error('cannot be removed')),
      },
      calls: { ...createMemoryRuntime().calls, saveCall: () => Promise.reject(new Error('disk full')) },
    });
    const { id, execution } = await callSample(parts, { password: 'hunter22' });
    const { invocationId, requestId } = execution;
    const ids = { invocationId, requestId, toolName: 'Sample' };
    expect(parts.logged.map(({ level, event, fields }) => [level, event, fields])).toEqual([
      ['debug', 'call.progress', { ...ids, progress: 0.5 }],
      ['warn', 'call.broken-off', { ...ids, errorCode: 'TRANSPORT_FAILURE', status: 'error', exitCode: 9 }],
      ['error', 'call.not-cleaned', expect.objectContaining(ids)],
      [
        'error',
        'call.not-stored',
        { ...ids, resultId: id, recordId: expect.stringMatching(/^tcr_/) as string, fault: 'disk full' },
      ],
    ]);
    expect(JSON.stringify(parts.logged)).not.toMatch(/hunter22|a secret/);
  });

  it('end with one that has the ids of what it left', async () => {
    const warnings = [{ code: 'SAMPLE.SLOW', message: 'took long' }];
    const parts = createMemoryRuntime({ answer: () => success({}, { warnings }) });
    const { id, execution } = await callSample(parts);
    expect(parts.logged).toEqual([
      {
        level: 'info',
        event: 'call.finished',
        fields: {
          invocationId: execution.invocationId,
          requestId: execution.requestId,
          toolName: 'Sample',
          resultId: id,
          recordId: execution.recordId,
          status: 'success',
          errorCode: undefined,
          warnings: 'SAMPLE.SLOW',
          durationMs: execution.durationMs,
        },
      },
    ]);
  });

  it('name the task of a call that goes on', async () => {
    const parts = createMemoryRuntime({
      manifests: [manifest({ pluginType: 'asynchronous' }, { async: true })],
      answer: ({ task }) => ({ status: 'accepted', data: null, task: { id: task?.id, state: 'queued' } }),
    });
    const result = await callSample(parts);
    const taskId = result.task?.id;
    expect(taskId).toMatch(/^task_/);
    expect(parts.logged.map(({ event, fields }) => [event, fields['taskId'], fields['status']])).toEqual([
      ['task.accepted', taskId, undefined],
      ['call.finished', taskId, 'accepted'],
    ]);
  });

  it('join the line of the request', async () => {
    const parts = createMemoryApp();
    await parts.call({ tool: 'Sample' });
    const [finished, request] = parts.logged;
    expect(request).toMatchObject({
      level: 'debug',
      event: 'http.request',
      fields: { requestId: finished?.fields['requestId'], method: 'POST', route: '/v1/human/tool', status: 200 },
    });
  });
});
