// What a block in text/plain may say beside its arguments.
import { describe, expect, it } from 'vitest';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const block = (fields: Record<string, string>) => {
  const lines = Object.entries(fields).map(([key, value]) => `${key}:「始」${value}「末」`);
  return `<<<[TOOL_REQUEST]>>>\n${lines.join(',\n')}\n<<<[END_TOOL_REQUEST]>>>`;
};
const appWith = (properties: Record<string, unknown> = {}) =>
  createMemoryApp({
    manifests: [manifest({}, { inputSchema: { type: 'object', properties } })],
    answer: ({ arguments: args }) => success({ args }),
  });
const sendText = async (parts: ReturnType<typeof appWith>, body: string, query = '') => {
  const headers = { 'content-type': 'text/plain' };
  const response = await parts.send(`/v1/human/tool${query}`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('a control field of a block', () => {
  it.each([
    ['river', 'Rhine'],
    ['maid', 'Nova'],
    ['command1', 'go'],
    ['ink', 'blue'],
    ['timely_contact', 'soon'],
  ])('named %s is an argument of the tool whose schema has it', async (name, value) => {
    const { body } = await sendText(
      appWith({ [name]: { type: 'string' } }),
      block({ tool_name: 'Sample', [name]: value }),
    );
    expect(body).toMatchObject({ status: 'success', data: { args: { [name]: value } }, warnings: [] });
    expect(body['actor']).toMatchObject({ type: 'human', maid: null });
  });

  it('is converted as the schema asks when the schema has it', async () => {
    const { body } = await sendText(
      appWith({ river: { type: 'integer' } }),
      block({ tool_name: 'Sample', River: '865' }),
    );
    expect(body).toMatchObject({ data: { args: { river: 865 } } });
  });

  it.each(['archery', 'ink', 'river', 'River'])('named %s is left out with a warning otherwise', async (name) => {
    const { body } = await sendText(appWith(), block({ tool_name: 'Sample', [name]: 'full', a: '1' }));
    expect(body).toMatchObject({
      status: 'success',
      data: { args: { a: '1' } },
      warnings: [
        {
          code: 'CONTROL_IGNORED',
          message: `"${name}" steers a conversation and has no meaning for a single call`,
        },
      ],
    });
  });

  it.each(['timely_contact', 'timelyContact', 'command1'])('named %s is refused otherwise', async (name) => {
    const parts = appWith();
    const { status, body } = await sendText(parts, block({ tool_name: 'Sample', [name]: '2026-07-12' }));
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer: `/${name}` }] }]);
    expect(parts.delivered).toEqual([]);
  });
});

describe('a field in quotes of an example', () => {
  it('is left out with a warning', async () => {
    const body = '<<<[TOOL_REQUEST]>>>tool_name:「始」Sample「末」, a:「始exp」1「末exp」<<<[END_TOOL_REQUEST]>>>';
    expect((await sendText(appWith(), body)).body).toMatchObject({
      status: 'success',
      data: { args: {} },
      warnings: [
        {
          code: 'EXAMPLE_SKIPPED',
          message: '"a" stands in quotes of an example and was left out; write key:「始」value「末」',
        },
      ],
    });
  });
});

describe('what was not said whole', () => {
  it.each([
    ['a closing quote without an opening one', 'a: 1「末」', '/a'],
    ['an escaped value that a plain quote closes', 'a:「始ESCAPE」1「末」', '/a'],
    ['a block within a block', '<<<[TOOL_REQUEST]>>>', ''],
  ])('is refused, and nothing runs: %s', async (_, field, pointer) => {
    const parts = appWith();
    const text = `<<<[TOOL_REQUEST]>>>tool_name:「始」Sample「末」, ${field}<<<[END_TOOL_REQUEST]>>>`;
    const { status, body } = await sendText(parts, text);
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer }] }]);
    expect(parts.delivered).toEqual([]);
  });
});

describe('a block in a fence', () => {
  it('is text, and nothing runs', async () => {
    const parts = appWith();
    const { status, body } = await sendText(parts, `Like this:\n\`\`\`\n${block({ tool_name: 'Sample' })}\n\`\`\`\n`);
    expect([status, body['code'], parts.delivered]).toEqual([400, 'INVALID_REQUEST', []]);
  });

  it('does not keep the real one after it from being run', async () => {
    const shown = `\`\`\`\n${block({ tool_name: 'Nobody' })}\n\`\`\`\n`;
    const { body } = await sendText(appWith(), `${shown}${block({ tool_name: 'Sample', a: '1' })}`);
    expect(body).toMatchObject({ status: 'success', data: { args: { a: '1' } } });
  });
});
