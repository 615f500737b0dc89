import { describe, expect, it } from 'vitest';
import { callSample, createMemoryRuntime, success, type MemoryRuntimeOptions } from '../../support/memory-runtime.ts';
import { listen } from '../../support/event-hub.ts';
import { manifest } from '../../support/sample-values.ts';

const announced = async (options: MemoryRuntimeOptions, args: Record<string, unknown> = {}) => {
  const parts = createMemoryRuntime(options);
  const panel = listen(parts.hub, { viewer: { clientType: 'panel' } });
  const result = await callSample(parts, args);
  return { parts, result, events: panel.events };
};
const pushing = (webSocketPush: object) => [manifest({ webSocketPush: { enabled: true, ...webSocketPush } })];

describe('a call that has ended', () => {
  it('is told of, with all of its ids and nothing of its data', async () => {
    const { result, events, parts } = await announced({ answer: () => success({ secret: 'data' }) });
    expect(events).toMatchObject([
      {
        type: 'result',
        resultId: result.id,
        invocationId: result.execution.invocationId,
        requestId: result.execution.requestId,
        recordId: result.execution.recordId,
        toolName: 'Sample',
        data: { status: 'success', errorCode: null, command: 'Run' },
      },
    ]);
    expect(parts.emitted[0]?.audience).toEqual({ to: 'owner', owner: 'alice' });
  });

  it('is told of when it failed, and when there was no such tool', async () => {
    const parts = createMemoryRuntime();
    const { events } = listen(parts.hub);
    await callSample(parts, {}, { toolName: 'Nobody' });
    expect(events).toMatchObject([{ data: { status: 'error', errorCode: 'TOOL_NOT_FOUND', command: null } }]);
  });
});

describe('webSocketPush', () => {
  it('pushes the data of the result to clients of its type', async () => {
    const manifests = pushing({ messageType: 'drawn', targetClientType: 'panel' });
    const { result, events, parts } = await announced({ manifests, answer: () => success({ n: 5 }) });
    expect(events[1]).toMatchObject({
      type: 'plugin_message',
      resultId: result.id,
      data: {
        plugin: 'Sample',
        name: 'drawn',
        message: { status: 'success', data: { n: 5 }, error: null, omitted: [] },
      },
    });
    expect(parts.emitted[1]).toMatchObject({ clientType: 'panel', audience: { to: 'owner', owner: 'alice' } });
  });

  it('says only how the call ended, where the manifest wants that', async () => {
    const manifests = pushing({ usePluginResultAsMessage: false });
    const { events } = await announced({ manifests, answer: () => success({ n: 5 }) });
    expect(events[1]).toMatchObject({ data: { name: 'result', message: { status: 'success' } } });
    expect(JSON.stringify(events)).not.toContain('"n"');
  });

  it('pushes nothing where it is switched off', async () => {
    const { events } = await announced({ manifests: [manifest({ webSocketPush: { enabled: false } })] });
    expect(events.map(({ type }) => type)).toEqual(['result']);
  });

  it('tells of an error by its code', async () => {
    const answer = () => ({ status: 'error', data: null, error: { code: 'SAMPLE.NO', message: 'no' } });
    const { events } = await announced({ manifests: pushing({}), answer });
    expect(events[1]).toMatchObject({
      data: { message: { status: 'error', error: { code: 'SAMPLE.NO', message: 'no' } } },
    });
  });

  it('leaves out data that is too large for an event, and says so', async () => {
    const answer = () => success({ text: 'x'.repeat(2_000) });
    const { events } = await announced({ manifests: pushing({}), answer, limits: { eventBytes: 1_000 } });
    expect(events[1]).toMatchObject({ data: { message: { data: null, omitted: ['/data'] } } });
  });

  it('is under the policy of every reader', async () => {
    const answer = () => success({ path: '/home/alice/a.txt', other: '/home/bob/b.txt', password: 'hunter2' });
    const args = { path: '/home/alice/a.txt' };
    const { events, parts } = await announced({ manifests: pushing({}), answer }, args);
    expect(events[1]).toMatchObject({
      data: {
        message: {
          data: { path: '/home/alice/a.txt', other: '[redacted: local path]', password: '[redacted: secret]' },
        },
      },
    });
    const operator = listen(parts.hub, { viewer: { id: 'op', seesEverything: true } });
    await callSample(parts, args);
    expect(operator.events[1]).toMatchObject({ data: { message: { data: { password: 'hunter2' } } } });
  });
});
