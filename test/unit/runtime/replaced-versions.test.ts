// What happens to calls while the plugin that they call is replaced, changed, switched off or removed.
import { describe, expect, it } from 'vitest';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import { nextSnapshot } from '../../../src/registry/next-snapshot.ts';
import { candidateOf } from '../../../src/registry/plugin-candidate.ts';
import { callSample, createMemoryRuntime, success, type MemoryRuntime } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const opened = (concurrency: number) => {
  const answers: ((value: unknown) => void)[] = [];
  const parts = createMemoryRuntime({
    manifests: [manifest({ communication: { protocol: 'direct', concurrency } })],
    answer: () => new Promise((resolve) => answers.push(resolve)),
  });
  const answer = (index: number) => answers[index]?.(success({ call: index }));
  return { parts, answer, started: () => answers.length };
};

const replace = ({ registry }: MemoryRuntime, contents: readonly Record<string, unknown>[], switches = new Map()) => {
  const candidates = contents.map((content) => {
    const text = JSON.stringify(content);
    const location = `memory:${String(content['name'])}`;
    return candidateOf(location, text, compilePlugin({ text, directory: null, location }), () => null);
  });
  const current = registry.current();
  registry.replace(nextSnapshot(current, candidates, { switches, now: 0, mayStay: () => true }));
};
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
};
const version = (concurrency: number, fields = {}, command = {}) =>
  manifest({ version: '2.0.0', communication: { protocol: 'direct', concurrency }, ...fields }, command);

describe('a running call', () => {
  it('ends on the version that it began with', async () => {
    const { parts, answer } = opened(1);
    const call = callSample(parts);
    await turns();
    replace(parts, [version(1, {}, { outputSchema: { type: 'string' } })]);
    answer(0);
    expect(await call).toMatchObject({ status: 'success', tool: { version: '1.0.0' }, data: { call: 0 } });
  });

  it('ends also when its tool is removed, or switched off', async () => {
    const { parts, answer } = opened(2);
    const calls = [callSample(parts), callSample(parts)];
    await turns();
    replace(parts, [version(2)], new Map([['Sample', false]]));
    expect(await callSample(parts)).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    answer(0);
    replace(parts, []);
    expect(await callSample(parts)).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
    answer(1);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(['success', 'success']);
  });
});

describe('a call that is tried again', () => {
  it('ends with the failure at hand when its version has been replaced, and runs on no other', async () => {
    let calls = 0;
    const parts = createMemoryRuntime({
      manifests: [manifest({}, { idempotent: true, errorCodes: ['SAMPLE.BUSY'] })],
      answer: () => {
        calls += 1;
        replace(parts, [version(1)]);
        return { status: 'error', data: null, error: { code: 'SAMPLE.BUSY', message: 'not now', retryable: true } };
      },
      pause: { random: () => 0, sleep: () => Promise.resolve() },
    });
    expect(await callSample(parts)).toMatchObject({ tool: { version: '1.0.0' }, error: { code: 'SAMPLE.BUSY' } });
    expect(calls).toBe(1);
  });
});

describe('a call that waits for its turn', () => {
  it('runs on the version that is served then', async () => {
    const { parts, answer } = opened(1);
    const first = callSample(parts);
    const second = callSample(parts);
    await turns();
    replace(parts, [version(1)]);
    answer(0);
    await first;
    await turns();
    answer(1);
    expect(await second).toMatchObject({ status: 'success', tool: { version: '2.0.0' } });
    expect(parts.delivered.map(({ plugin }) => plugin.manifest.version)).toEqual(['1.0.0', '2.0.0']);
  });

  it('is held against the schema of that version', async () => {
    const { parts, answer } = opened(1);
    const first = callSample(parts);
    const second = callSample(parts, { old: true });
    await turns();
    replace(parts, [version(1, {}, { inputSchema: { type: 'object', required: ['new'] } })]);
    answer(0);
    await first;
    expect(await second).toMatchObject({ error: { code: 'MISSING_ARGUMENT' }, tool: { version: '2.0.0' } });
  });

  it('learns that its tool was removed meanwhile', async () => {
    const { parts, answer } = opened(1);
    const first = callSample(parts);
    const second = callSample(parts);
    await turns();
    replace(parts, []);
    answer(0);
    expect(await first).toMatchObject({ status: 'success' });
    expect(await second).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
  });
});

describe('how many calls run at once', () => {
  it('follows the version in service, calls of the old one counted', async () => {
    const { parts, answer, started } = opened(1);
    const calls = [callSample(parts), callSample(parts), callSample(parts)];
    await turns();
    expect(started()).toBe(1);
    replace(parts, [version(2)]);
    calls.push(callSample(parts));
    await turns();
    expect(started()).toBe(2);
    for (let index = 0; index < 4; index += 1) {
      answer(index);
      await turns();
    }
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(4).fill('success'));
  });
});
