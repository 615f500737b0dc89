import { describe, expect, it } from 'vitest';
import { ResourceDraft } from '../../../src/protocol/resource.ts';
import { PluginResultPayload } from '../../../src/protocol/plugin-result-payload.ts';
import { ErrorCode } from '../../../src/protocol/error.ts';
import { Warning } from '../../../src/protocol/warning.ts';
import { AiAdvice } from '../../../src/protocol/ai-advice.ts';
import { issuesOf } from '../../../src/lib/issue.ts';
import { ULID } from '../../support/sample-values.ts';

const issuesFor = (payload: unknown) => {
  const parsed = PluginResultPayload.safeParse(payload);
  return parsed.success ? [] : issuesOf(parsed.error);
};

describe('top-level fields of a payload', () => {
  it.each([
    'id',
    'protocol',
    'tool',
    'execution',
    'actor',
    'origin',
    'record',
    'policy',
    'content',
    'result',
    'original_plugin_output',
  ])('refuses %s by name', (field) => {
    expect(issuesFor({ status: 'success', data: null, [field]: {} })).toEqual([
      { pointer: `/${field}`, message: `unknown field "${field}"`, code: 'unknown-field' },
    ]);
  });

  it.each([null, 'text', 5, [], {}, { status: 'done' }, { data: 1 }, undefined])(
    'refuses what is no payload: %j',
    (payload) => {
      expect(issuesFor(payload)).not.toEqual([]);
    },
  );

  it('keeps unknown fields out of errors, tasks, warnings, presentation and advice too', () => {
    const payloads = [
      { status: 'error', data: null, error: { code: 'FORBIDDEN', message: 'no', stack: 'x' } },
      { status: 'accepted', data: null, task: { id: `task_${ULID}`, state: 'queued', extra: 1 } },
      { status: 'success', data: null, warnings: [{ code: 'A', message: 'b', extra: 1 }] },
      { status: 'success', data: null, presentation: { html: '<b>' } },
      { status: 'success', data: null, aiAdvice: { intent: 'relay', content: [] } },
      { status: 'success', data: null, resources: [{ id: 'a', url: 'https://x/y', extra: 1 }] },
    ];
    const pointers = payloads.map((payload) => issuesFor(payload)[0]?.pointer);
    expect(pointers).toEqual([
      '/error/stack',
      '/task/extra',
      '/warnings/0/extra',
      '/presentation/html',
      '/aiAdvice/content',
      '/resources/0/extra',
    ]);
  });
});

describe('extensions', () => {
  it.each(['vcp.schedule', 'vendor.example', 'a.b.c', 'vcp.image-generation'])(
    'accepts the namespaced key %s',
    (key) => {
      expect(issuesFor({ status: 'success', data: null, extensions: { [key]: { any: [1] } } })).toEqual([]);
    },
  );

  it.each(['schedule', '.a', 'a.', '1.a', 'a b.c', '', 'a..b'])('refuses the key "%s"', (key) => {
    expect(issuesFor({ status: 'success', data: null, extensions: { [key]: 1 } })).toEqual([
      {
        pointer: `/extensions/${key}`,
        message: 'an extension key needs a namespace, such as "vendor.example" (§5.10)',
      },
    ]);
  });
});

describe('error codes', () => {
  it.each(['INVALID_ARGUMENT', 'INTERNAL_ERROR', 'DOUBAO.CONTENT_POLICY_REJECTED', 'A.B.C2'])('accepts %s', (code) => {
    expect(ErrorCode.safeParse(code).success).toBe(true);
  });

  it.each([
    '',
    'NOT_STANDARD',
    'invalid_argument',
    'doubao.rejected',
    'A.',
    '.A',
    'A.b',
    '1.A',
    'A B.C',
    `A.${'B'.repeat(127)}`,
  ])('refuses "%s"', (code) => {
    expect(ErrorCode.safeParse(code).success).toBe(false);
  });

  it('accepts warnings with or without a namespace, upper case only', () => {
    const accepted = ['OUTPUT_TRUNCATED', 'VENDOR.SLOW', 'slow', 'A-B', ''].map(
      (code) => Warning.safeParse({ code, message: 'm' }).success,
    );
    expect(accepted).toEqual([true, true, false, false, false]);
  });
});

describe('resource drafts', () => {
  const locations = {
    localPath: 'image/a.png',
    url: 'https://example.com/a.png',
    dataUri: 'data:,a',
    base64: '',
    resourceId: `res_${ULID}`,
  };

  it.each(Object.entries(locations))('take %s alone', (location, value) => {
    expect(ResourceDraft.parse({ id: 'a', [location]: value })).toEqual({ id: 'a', role: 'output', [location]: value });
  });

  it('refuse no location, and every pair of locations', () => {
    expect(ResourceDraft.safeParse({ id: 'a' }).success).toBe(false);
    const names = Object.entries(locations);
    const pairs = names.flatMap((first, index) =>
      names.slice(index + 1).map((second) => Object.fromEntries([first, second])),
    );
    expect(pairs).toHaveLength(10);
    for (const pair of pairs)
      expect(ResourceDraft.safeParse({ id: 'a', ...pair }).error?.issues[0]?.message).toBe(
        'needs exactly one of localPath, url, dataUri, base64, resourceId',
      );
  });

  it.each(['a/b.png', 'a\\b.png', 'a\nb', '.', '..', '', 'a\0'])('refuse the file name %j', (fileName) => {
    expect(ResourceDraft.safeParse({ id: 'a', base64: '', fileName }).success).toBe(false);
  });

  it.each(['png', 'image/', '/png', 'image/png extra', ''])('refuse the media type "%s"', (mimeType) => {
    expect(ResourceDraft.safeParse({ id: 'a', base64: '', mimeType }).success).toBe(false);
  });

  it('take file names of any script and media types with parameters', () => {
    expect(
      ResourceDraft.safeParse({
        id: 'a',
        base64: '',
        fileName: '月球上的猫.png',
        mimeType: 'text/plain; charset=utf-8',
      }).success,
    ).toBe(true);
  });
});

describe('advice', () => {
  it.each(['relay', 'display_resource', 'summarize', 'explain', 'request_followup', 'suggest_next_step', 'none'])(
    'knows the intent %s',
    (intent) => {
      expect(AiAdvice.parse({ intent })).toEqual({
        intent,
        message: null,
        resourceIds: [],
        renderHint: null,
        priority: 'normal',
      });
    },
  );

  it.each([
    {},
    { intent: 'call_tool' },
    { intent: 'relay', priority: 'urgent' },
    { intent: 'relay', renderHint: 'html' },
  ])('refuses %j', (advice) => {
    expect(AiAdvice.safeParse(advice).success).toBe(false);
  });
});
