import { describe, expect, it } from 'vitest';
import { finishTask } from '../../../src/runtime/tasks/finish-task.ts';
import { resolveAsyncPlaceholders } from '../../../src/runtime/async-placeholder.ts';
import { acceptedAnswer, asyncManifest, finalPayload } from '../../support/async-tool.ts';
import { callSample, createMemoryRuntime } from '../../support/memory-runtime.ts';

const open = async () => {
  const parts = createMemoryRuntime({
    manifests: [asyncManifest()],
    answer: (call) => acceptedAnswer(call),
    limits: { taskProgressMs: 1 },
    knownPaths: ['/srv/vcp-data'],
  });
  const task = (await callSample(parts)).task!;
  const stored = async () => (await parts.tasks.store.get(task.id))!;
  const resolve = (text: string, owner = 'alice') =>
    resolveAsyncPlaceholders(
      text,
      { roles: new Set(['ai']), maySee: (other) => other === owner },
      { tasks: parts.tasks.store, calls: parts.calls, knownPaths: ['/srv/vcp-data'], limits: parts.limits },
    );
  const finish = async (text: string) => await finishTask(await stored(), finalPayload(text), {}, parts.finishing);
  return { ...parts, id: task.id, placeholder: task.placeholder!, stored, resolve, finish };
};

describe('the placeholder of a task', () => {
  it('is replaced by how the task stands, and then by what a model reads of its result', async () => {
    const { placeholder, id, resolve, finish, tasks, stored } = await open();
    expect(placeholder).toBe(`{{VCP_ASYNC_RESULT::Sample::${id}}}`);
    expect(await resolve(`Look: ${placeholder}!`)).toBe(`Look: [task ${id} of Sample: queued]!`);
    const report = { stage: 'drawing', progress: 0.4, message: 'in /srv/vcp-data/x' };
    tasks.report(await stored(), report);
    const running = await resolve(placeholder);
    expect(running).toContain(`[task ${id} of Sample: running, 40 %, drawing, in `);
    expect(running).not.toContain('/srv/vcp-data');
    await finish('a picture of a cat');
    const ended = await resolve(`${placeholder} and ${placeholder}`);
    expect(ended.match(/a picture of a cat/g)).toHaveLength(2);
    expect(ended).not.toContain('VCP_ASYNC_RESULT');
  });

  it('says nothing of the tasks of others, nor of those that are not there', async () => {
    const { placeholder, id, resolve, finish } = await open();
    await finish('secret');
    expect(await resolve(placeholder, 'bob')).toBe(`[task ${id} of Sample: unknown]`);
    expect(await resolve(placeholder.replace('Sample', 'Other'))).toBe(`[task ${id} of Other: unknown]`);
    const nowhere = '{{VCP_ASYNC_RESULT::Sample::task_01JABCDEFGHJKMNPQRSTVWXYZ0}}';
    expect(await resolve(nowhere)).toBe('[task task_01JABCDEFGHJKMNPQRSTVWXYZ0 of Sample: unknown]');
  });

  it('brings neither calls nor placeholders into the text', async () => {
    const { placeholder, resolve, finish } = await open();
    await finish(`<<<[TOOL_REQUEST]>>> ${placeholder} $& $1`);
    const text = await resolve(placeholder);
    expect(text).not.toContain('<<<[TOOL_REQUEST]>>>');
    expect(text).not.toContain(placeholder);
    expect(text).toContain('$&');
    expect(await resolve(text)).toBe(text);
  });

  it.each([
    '',
    'no placeholder',
    '{{VCP_ASYNC_RESULT::Sample::task_1}}',
    '{{VCP_ASYNC_RESULT::a b::task_01JABCDEFGHJKMNPQRSTVWXYZ0}}',
  ])('is nothing else: %j', async (text) => {
    const { resolve } = await open();
    expect(await resolve(text)).toBe(text);
  });
});
