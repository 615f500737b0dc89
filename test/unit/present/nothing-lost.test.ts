// What a view has no room for is named, what it shows it shows once, and long texts make no result invalid.
import { describe, expect, it } from 'vitest';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { WorkflowValue } from '../../../src/present/workflow.ts';
import { project } from '../../../src/runtime/project.ts';
import { aiViewOf } from '../../support/ai-view.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';
import { canonicalResult, descriptor, manifest, TOOL_ERROR } from '../../support/sample-values.ts';

const presentation = { summary: null, preferredView: null, title: null, primaryResourceId: null };
const ADDRESS = {
  origin: { source: 'human', nodeId: null, serverId: 'local', distributed: false, requestIp: '192.0.2.7' },
};

describe('the workflow view', () => {
  const viewOf = (fields: Record<string, unknown>, roles: string[] = ['human']) =>
    project(CanonicalToolResult.parse(canonicalResult(fields)), 'workflow', {
      viewer: { roles: new Set(roles) },
      knownPaths: [],
      limits: DEFAULT_LIMITS,
    }) as WorkflowValue;

  it('says where something was taken out', () => {
    expect(viewOf({ data: { password: 'p', total: 1 } })).toMatchObject({
      data: { password: '[redacted: secret]', total: 1 },
      redactions: [{ pointer: '/data/password', reason: 'secret' }],
    });
  });

  it('has no redactions where nothing was taken out', () => {
    expect(viewOf({ data: { password: 'p' } }, ['operator'])).toMatchObject({
      data: { password: 'p' },
      redactions: [],
    });
  });
});

describe('the AI view', () => {
  it('shows a title, and the summary after it', () => {
    const { text } = aiViewOf({ presentation: { ...presentation, title: 'Two pages', summary: 'of ten' }, data: null });
    expect(text).toBe('**Sample · Run** — success\n\n**Two pages**\n\nof ten');
  });

  it('names the fields that it has no place for', () => {
    const { omitted, text } = aiViewOf({
      extensions: { 'example.one': { a: 1 }, 'example.two': 2 },
      resources: [descriptor(), descriptor({ metadata: { author: 'A', camera: 'B', lens: 'C' } })],
      warnings: [{ code: 'SLOW', message: 'took long', target: null, details: { ms: 1 } }],
    });
    expect(omitted.fields).toEqual([
      { pointer: '/extensions', unit: 'fields', originalCount: 2, keptCount: 0 },
      { pointer: '/resources/1/metadata', unit: 'fields', originalCount: 3, keptCount: 0 },
      { pointer: '/warnings/0/details', unit: 'fields', originalCount: 1, keptCount: 0 },
    ]);
    expect(text).not.toContain('camera');
  });

  it('names nothing when nothing is left out', () => {
    const { omitted } = aiViewOf({ resources: [descriptor()], data: { a: 1 } });
    expect(omitted).toMatchObject({ fields: [], resources: [], redactions: [] });
  });

  it('tells of no redaction in what it never shows', () => {
    const { omitted } = aiViewOf({
      ...ADDRESS,
      data: { password: 'p' },
      extensions: { 'example.x': { token: 'a1B2c3D4' } },
    });
    expect(omitted.redactions).toEqual([{ pointer: '/data/password', reason: 'secret' }]);
  });

  it('shows the cause of an error', () => {
    const error = { ...TOOL_ERROR, cause: { code: 'ECONNREFUSED', message: 'nobody listens' } };
    expect(aiViewOf({ status: 'error', data: null, error }).text).toContain('caused by: ECONNREFUSED: nobody listens');
    const unnamed = { ...TOOL_ERROR, cause: { code: null, message: 'nobody listens' } };
    expect(aiViewOf({ status: 'error', data: null, error: unnamed }).text).toContain('caused by: nobody listens');
  });

  it('says the faults of arguments once', async () => {
    const inputSchema = {
      type: 'object',
      properties: { count: { type: 'integer' }, size: { type: 'integer' } },
      additionalProperties: false,
    };
    const parts = createMemoryRuntime({ manifests: [manifest({}, { inputSchema })] });
    const { text } = aiViewOf({ ...(await callSample(parts, { count: 'many', size: 'large' })) });
    expect(text.match(/count/g)).toHaveLength(2);
    expect(text).not.toContain('issueCount');
    expect(text).not.toContain('issues');
  });

  it('lists all faults when there are more than a sentence holds', async () => {
    const names = ['a1', 'b2', 'c3', 'd4', 'e5'];
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
    const parts = createMemoryRuntime({ manifests: [manifest({}, { inputSchema: { type: 'object', properties } })] });
    const args = Object.fromEntries(names.map((name) => [name, 'x']));
    const { text } = aiViewOf({ ...(await callSample(parts, args)) });
    for (const name of names) expect(text).toContain(name);
  });
});

describe('a long text of a tool', () => {
  const valid = (result: unknown) => CanonicalToolResult.safeParse(result).error?.issues ?? [];

  it.each(['summary', 'title'])('of 3,000 characters is a %s', async (field) => {
    const long = 'word '.repeat(600);
    const parts = createMemoryRuntime({ answer: () => success({ a: 1 }, { presentation: { [field]: long } }) });
    const result = await callSample(parts);
    expect(result).toMatchObject({ status: 'success', presentation: { [field]: long } });
    expect(valid(result)).toEqual([]);
  });

  it('of 20,000 characters is an error message', async () => {
    const long = 'word '.repeat(4_000);
    const error = { code: 'SAMPLE.NO', message: long, cause: { code: null, message: long } };
    const parts = createMemoryRuntime({ answer: () => ({ status: 'error', data: null, error }) });
    const result = await callSample(parts);
    expect(result).toMatchObject({ status: 'error', error: { code: 'SAMPLE.NO', message: long } });
    expect(valid(result)).toEqual([]);
  });

  it.each([500, 5_000, 30_000])('stays within %i characters for a model, which is told of it', (maxCharacters) => {
    const long = 'word '.repeat(13_000);
    for (const fields of [
      { presentation: { ...presentation, title: long, summary: long } },
      { status: 'error', data: null, error: { ...TOOL_ERROR, message: long } },
      { status: 'error', data: null, error: { ...TOOL_ERROR, cause: { code: null, message: long } } },
    ]) {
      const { text, omitted } = aiViewOf(fields, { maxCharacters });
      expect(text.length).toBeLessThanOrEqual(maxCharacters);
      expect(text).toContain('from the stored result `tr_');
      expect(omitted.fields[0]).toMatchObject({ unit: 'characters', originalCount: long.length });
    }
  });
});
