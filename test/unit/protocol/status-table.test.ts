import { describe, expect, it } from 'vitest';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { PluginResultPayload } from '../../../src/protocol/plugin-result-payload.ts';
import { canonicalResult, ERROR, TASK, TOOL_ERROR } from '../../support/sample-values.ts';

const STATUSES = ['success', 'accepted', 'partial', 'error', 'cancelled', 'timeout'] as const;
const STATES = [null, 'created', 'queued', 'running', 'completed', 'failed', 'cancelled', 'timed_out'] as const;
const UNENDED = ['created', 'queued', 'running'];
const ALL_STATES = [null, ...UNENDED, 'completed', 'failed', 'cancelled', 'timed_out'];

// The table of §5.5, written out: which task states each status goes with, and whether it carries data and an error.
const TABLE: Record<
  (typeof STATUSES)[number],
  { nullData: boolean; withError: boolean; withoutError: boolean; tasks: readonly (string | null)[] }
> = {
  success: { nullData: true, withError: false, withoutError: true, tasks: [null, 'completed'] },
  accepted: { nullData: true, withError: false, withoutError: true, tasks: UNENDED },
  partial: { nullData: false, withError: true, withoutError: true, tasks: ALL_STATES },
  error: { nullData: true, withError: true, withoutError: false, tasks: [null, 'failed'] },
  cancelled: { nullData: true, withError: true, withoutError: false, tasks: [null, 'cancelled'] },
  timeout: { nullData: true, withError: true, withoutError: false, tasks: [null, 'timed_out'] },
};

const combinations = STATUSES.flatMap((status) =>
  [null, { some: 'data' }].flatMap((data) =>
    [false, true].flatMap((hasError) =>
      STATES.map((state) => {
        const row = TABLE[status];
        const legal =
          (data !== null || row.nullData) && (hasError ? row.withError : row.withoutError) && row.tasks.includes(state);
        return { status, data, hasError, state, legal };
      }),
    ),
  ),
);

describe('the status table of §5.5', () => {
  it.each(combinations)(
    '$status with data $data, error $hasError, task $state is legal: $legal',
    ({ status, data, hasError, state, legal }) => {
      const task = state === null ? null : { ...TASK, state };
      const canonicalTask = task === null ? null : { progress: null, pollAfterMs: null, placeholder: null, ...task };
      const canonical = canonicalResult({ status, data, error: hasError ? TOOL_ERROR : null, task: canonicalTask });
      expect(CanonicalToolResult.safeParse(canonical).success).toBe(legal);
      const payload = PluginResultPayload.safeParse({ status, data, error: hasError ? ERROR : null, task });
      expect(payload.success).toBe(legal && status !== 'timeout');
    },
  );

  it('has a legal combination for every status', () => {
    expect(STATUSES.filter((status) => combinations.some((row) => row.status === status && row.legal))).toEqual([
      ...STATUSES,
    ]);
  });

  it('says which rule an illegal combination breaks', () => {
    const parsed = PluginResultPayload.safeParse({ status: 'success', data: 1, error: ERROR });
    expect(parsed.error?.issues[0]?.message).toBe('error must be null when status is "success" (§5.5)');
    const partial = PluginResultPayload.safeParse({ status: 'partial', data: null });
    expect(partial.error?.issues[0]?.message).toBe('data must be present when status is "partial" (§5.5)');
  });
});

describe('absent fields of a payload', () => {
  it('become null or empty', () => {
    expect(PluginResultPayload.parse({ status: 'success', data: 5 })).toEqual({
      status: 'success',
      data: 5,
      error: null,
      task: null,
      resources: [],
      warnings: [],
      presentation: null,
      aiAdvice: null,
      extensions: {},
    });
  });

  it.each(['success', 'accepted', 'partial', 'error'])('are refused when data is missing from %s', (status) => {
    const more = { accepted: { task: TASK }, error: { error: ERROR } }[status] ?? {};
    expect(PluginResultPayload.safeParse({ status, data: 1, ...more }).success).toBe(true);
    expect(PluginResultPayload.safeParse({ status, ...more }).success).toBe(false);
  });

  it('may include data when a call was cancelled', () => {
    expect(PluginResultPayload.parse({ status: 'cancelled', error: ERROR }).data).toBeNull();
  });

  it.each([
    'protocol',
    'id',
    'tool',
    'execution',
    'actor',
    'origin',
    'data',
    'resources',
    'warnings',
    'error',
    'task',
    'presentation',
    'aiAdvice',
    'policy',
    'extensions',
  ])('may not include %s of a canonical result, except those with a default', (field) => {
    const { [field]: _, ...without } = canonicalResult();
    const hasDefault = ['error', 'task'].includes(field);
    expect(CanonicalToolResult.safeParse(without).success).toBe(hasDefault);
  });
});
