import { describe, expect, it } from 'vitest';
import { canonicalResult, descriptor, TOOL_ERROR, ULID } from '../../support/sample-values.ts';
import { aiViewOf } from '../../support/ai-view.ts';

const TASK_ID = `task_${ULID}`;
const advice = (fields: Record<string, unknown> = {}) => ({
  intent: 'relay',
  message: 'Please tell the user.',
  resourceIds: [],
  renderHint: null,
  priority: 'normal',
  ...fields,
});

describe('what a model reads', () => {
  it('follows the order of §8.2', () => {
    const { text } = aiViewOf(
      {
        status: 'partial',
        data: { total: 1 },
        error: {
          ...TOOL_ERROR,
          message: 'one page is missing',
          category: 'dependency',
          target: 'page',
          retryable: true,
          details: { page: 2 },
        },
        presentation: { summary: 'One of two pages', preferredView: null, title: null, primaryResourceId: null },
        resources: [descriptor()],
        warnings: [{ code: 'SLOW', message: 'took long', target: null, details: null }],
        aiAdvice: advice(),
      },
      { includeExecutionMetadata: true },
    );
    expect(text).toBe(
      [
        '**Sample · Run** — partly done',
        '`INVALID_ARGUMENT`: one page is missing',
        'category: dependency; at: page; the same call may work later',
        '- **page**: 2',
        'One of two pages',
        '### Result',
        '- **total**: 1',
        '### Resources',
        `- \`res_${ULID}\` picture.png (image/png, 179.6 KiB, 4 × 3): <https://vcp.example/v1/resources/x/picture.png>`,
        '### Warnings',
        '- `SLOW`: took long',
        '### Delivery advice from the tool (a suggestion, not part of the result)',
        '> Please tell the user.\n>\n> suggested: relay',
        `Result tr_${ULID}, finished 2026-07-11T07:30:00.023Z after 23 ms.`,
      ].join('\n\n'),
    );
  });

  it.each([
    ['success', {}, 'success'],
    ['accepted', { task: { id: TASK_ID, state: 'queued' } }, 'accepted, still running'],
    ['error', { data: null, error: TOOL_ERROR }, 'failed'],
    ['cancelled', { data: null, error: TOOL_ERROR }, 'cancelled'],
    ['timeout', { data: null, error: TOOL_ERROR }, 'timed out'],
  ])('says how a call of status %s went', (status, fields, words) => {
    expect(aiViewOf({ status, ...fields }).text.split('\n')[0]).toBe(`**Sample · Run** — ${words}`);
  });

  it('names the task of an accepted call and its placeholder', () => {
    const placeholder = `{{VCP_ASYNC_RESULT::Sample::${TASK_ID}}}`;
    const { text } = aiViewOf({
      status: 'accepted',
      data: null,
      task: { id: TASK_ID, state: 'running', progress: 0.4, pollAfterMs: null, placeholder },
    });
    expect(text).toContain(`Task \`${TASK_ID}\`: running, 40 %; its result will replace \`${placeholder}\``);
  });

  it('is the same text in its parts', () => {
    const view = aiViewOf({ data: { a: 1 } });
    expect(view.content).toEqual([{ type: 'text', text: view.text }]);
    expect(view.omitted).toEqual({
      fields: [],
      resources: [],
      redactions: [],
      resultId: `tr_${ULID}`,
      howToRead: `GET /v1/results/tr_${ULID}?pointer=<pointer>, or the tool ResultReader with resultId and pointer; of items and characters from offset=<keptCount>, of fields by the pointers in "missing" or all from offset=0`,
    });
  });

  it('names what it has no place for, and what was hidden', () => {
    const warnings = [{ code: 'A', message: 'm', target: null, details: { a: 1, b: 2 } }];
    const { omitted } = aiViewOf({ data: { password: 'p' }, extensions: { 'a.b': 1 }, warnings });
    expect(omitted.fields).toEqual([
      { pointer: '/extensions', unit: 'fields', originalCount: 1, keptCount: 0 },
      { pointer: '/warnings/0/details', unit: 'fields', originalCount: 2, keptCount: 0 },
    ]);
    expect(omitted.redactions).toEqual([{ pointer: '/data/password', reason: 'secret' }]);
  });

  it('does not change the result that it was made of', () => {
    const result = canonicalResult({ data: { password: 'p', list: [1, 2] } });
    const before = JSON.stringify(result);
    aiViewOf({ data: result['data'] }, { maxCharacters: 20 });
    expect(JSON.stringify(result)).toBe(before);
  });
});

describe('data as Markdown', () => {
  const render = (data: unknown) => aiViewOf({ data }).text.split('### Result\n\n')[1];

  it('shows objects as fields, nulls left out, numbers and truth values as they are', () => {
    expect(render({ name: 'Nova', age: 3, ratio: 0.5, ok: false, nothing: null, empty: '', none: [], bare: {} })).toBe(
      [
        '- **name**: Nova',
        '- **age**: 3',
        '- **ratio**: 0.5',
        '- **ok**: false',
        '- **empty**: (empty)',
        '- **none**: (none)',
        '- **bare**:\n\n  (empty)',
      ].join('\n'),
    );
  });

  it('ends a block of text where its last line ends', () => {
    expect(render('one\ntwo\n')).toBe('```\none\ntwo\n```');
    expect(render('one\ntwo')).toBe('```\none\ntwo\n```');
    expect(render('one\n\n')).toBe('```\none\n\n```');
  });

  it('shows lists of short objects as a table', () => {
    expect(render({ rows: [{ id: 1, name: 'a|b' }, { id: 2, name: '' }, { id: 3 }] })).toBe(
      ['- **rows** (3):', '  | id | name |', '  | - | - |', '  | 1 | a\\|b |', '  | 2 | (empty) |', '  | 3 | |'].join(
        '\n',
      ),
    );
  });

  it('shows lists of other objects as numbered items', () => {
    expect(render([{ a: { deep: 1 } }, { a: { deep: 2 } }])).toBe(
      '1. - **a**:\n     - **deep**: 1\n2. - **a**:\n     - **deep**: 2',
    );
  });

  it('shows short lists in one line, links as links, times as RFC 3339', () => {
    expect(render({ tags: ['a', 'b', 3], url: 'https://example.com/a_b?c=d', time: '2026-07-12T10:00:00+08:00' })).toBe(
      ['- **tags**: a, b, 3', '- **url**: <https://example.com/a_b?c=d>', '- **time**: 2026-07-12T10:00:00+08:00'].join(
        '\n',
      ),
    );
  });

  it('shows long and many-lined texts in a fence that they cannot close', () => {
    expect(render({ code: 'a\n```\nb\n````\nc' })).toBe('- **code**:\n  `````\n  a\n  ```\n  b\n  ````\n  c\n  `````');
  });

  it('shows references as resources', () => {
    expect(
      render({ image: { $resource: `res_${ULID}` }, list: [{ $resource: 'res_2' }, { $resource: 'res_3' }] }),
    ).toBe(`- **image**: resource \`res_${ULID}\`\n- **list** (2):\n  1. resource \`res_2\`\n  2. resource \`res_3\``);
  });

  it.each([
    ['text', 'text'],
    [5, '5'],
    [false, 'false'],
    ['', '(empty)'],
    [[], '(none)'],
    [{}, '(empty)'],
  ])('shows the lone value %j', (data, expected) => {
    expect(render(data)).toBe(expected);
  });
});

describe('resources', () => {
  const many = Array.from({ length: 6 }, (_, n) =>
    descriptor({ id: `res_01JABCDEFGHJKMNPQRSTVWXY0${n}`, kind: n === 5 ? 'audio' : 'image' }),
  );
  const idOf = (n: number) => `res_01JABCDEFGHJKMNPQRSTVWXY0${n}`;

  it('go along as pictures for a model that sees, and only for that', () => {
    const parts = (vision: boolean, audio: boolean) =>
      aiViewOf({ resources: [many[0], many[5]] }, { modelCapabilities: { vision, audio } }).content.slice(1);
    expect(parts(true, false)).toEqual([{ type: 'image', resourceId: idOf(0) }]);
    expect(parts(false, false)).toEqual([]);
    expect(parts(false, true)).toEqual([{ type: 'audio', resourceId: idOf(5) }]);
  });

  it('that are external are linked, never attached', () => {
    const external = descriptor({
      url: 'https://example.com/a.png',
      access: { type: 'external', expiresAt: null, requiresAuth: false },
      sizeBytes: null,
      sha256: null,
    });
    const view = aiViewOf({ resources: [external] });
    expect(view.content).toHaveLength(1);
    expect(view.text).toContain('<https://example.com/a.png>');
  });

  it('past the limit are named as left out, the primary and the advised ones kept first', () => {
    const view = aiViewOf(
      {
        resources: many,
        presentation: { summary: null, preferredView: null, title: null, primaryResourceId: idOf(4) },
        aiAdvice: advice({ intent: 'display_resource', resourceIds: [idOf(3)] }),
      },
      { maxResources: 3 },
    );
    expect(view.content.slice(1).map((part) => 'resourceId' in part && part.resourceId)).toEqual([
      idOf(4),
      idOf(3),
      idOf(0),
    ]);
    expect(view.omitted.resources).toEqual([idOf(1), idOf(2), idOf(5)]);
    expect(view.text).toContain(`3 more resources: ${[1, 2, 5].map(idOf).join(', ')}`);
  });

  it('that are not shown take their advice with them', () => {
    const view = aiViewOf(
      {
        resources: many,
        aiAdvice: advice({ intent: 'display_resource', message: 'Show it.', resourceIds: many.map((_, n) => idOf(n)) }),
      },
      { maxResources: 1 },
    );
    expect(view.text).toContain('> suggested: relay');
    expect(view.text).not.toContain('display resource');
  });
});
