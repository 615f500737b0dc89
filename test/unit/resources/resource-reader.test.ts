import { describe, expect, it } from 'vitest';
import { callSample, success } from '../../support/memory-runtime.ts';
import { guestSandbox } from '../../support/scripted-sandbox.ts';
import { createWasmRuntime } from '../../support/wasm-runtime.ts';

/** A tool that writes a resource when it has a text, and else reads those that it is told of, also by its own memory. */
const createReader = () => {
  const { sandbox } = guestSandbox(async ({ host, input }) => {
    const { text, read } = input.arguments as { text?: string; read?: string };
    if (text !== undefined) {
      const bytes = new TextEncoder().encode(text);
      const { ok } = (await host('resource_write', { fileName: 'a.txt' }, bytes)) as { ok: { resourceId: string } };
      return success(null, { resources: [{ id: 'one', role: 'output', resourceId: ok.resourceId }] });
    }
    const answer = await host('resource_read', { resourceId: read ?? remembered });
    return success('ok' in answer ? new TextDecoder().decode(answer.bytes) : answer.error.code);
  });
  const runtime = createWasmRuntime(sandbox, { fields: { permissions: { resources: ['read', 'write'] } } });
  return runtime;
};
let remembered = '';
const callAs = (owner: string, runtime: ReturnType<typeof createReader>, args: Record<string, unknown>) =>
  runtime.runtime.execute({ toolName: 'Sample', arguments: args as never, context: { source: 'human', owner } });

describe('what a call may read', () => {
  it('is what its arguments name and its caller owns', async () => {
    const runtime = createReader();
    const written = await callSample(runtime, { text: 'of alice' });
    const id = written.resources[0]?.id as string;
    expect((await callAs('alice', runtime, { read: id })).data).toBe('of alice');
    expect((await callAs('bob', runtime, { read: id })).data).toBe('FILE_NOT_FOUND');
    expect((await callAs('alice', runtime, { read: 'res_01JABCDEFGHJKMNPQRSTVWXYZ0' })).data).toBe('FILE_NOT_FOUND');
    expect((await callAs('alice', runtime, { read: '../../etc/passwd' })).data).toBe('FILE_NOT_FOUND');
  });

  it('is not what a plugin remembers of an earlier call', async () => {
    const runtime = createReader();
    remembered = (await callSample(runtime, { text: 'of alice' })).resources[0]?.id as string;
    expect((await callAs('alice', runtime, {})).data).toBe('FILE_NOT_FOUND');
    // Only inside a longer text is it not named.
    expect((await callAs('alice', runtime, { note: `see ${remembered}` })).data).toBe('FILE_NOT_FOUND');
    expect((await callAs('alice', runtime, { nested: [{ resourceId: remembered }] })).data).toBe('of alice');
  });
});
