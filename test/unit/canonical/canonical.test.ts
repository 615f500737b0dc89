import { describe, expect, it } from 'vitest';
import {
  buildCanonicalResult,
  type CallIdentity,
  type CallOutcome,
} from '../../../src/canonical/build-canonical-result.ts';
import { toolErrorOfFailure, toolErrorOfPlugin } from '../../../src/canonical/tool-error.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { PluginError } from '../../../src/protocol/error.ts';
import { canonicalResult } from '../../support/sample-values.ts';

describe('a canonical result', () => {
  const { id, tool, execution, actor, origin, policy, ...rest } = canonicalResult({ data: { rows: [{ a: 1 }] } });
  const outcome = {
    status: rest['status'],
    data: rest['data'],
    resources: [],
    warnings: [],
    error: null,
    task: null,
    presentation: null,
    aiAdvice: null,
    extensions: {},
  } as unknown as CallOutcome;
  const identity = { id, tool, execution, actor, origin, policy } as unknown as CallIdentity;

  it('has the fields of §5.3 in their order', () => {
    expect(Object.keys(buildCanonicalResult(identity, outcome))).toEqual([
      'protocol',
      'id',
      'status',
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
    ]);
  });

  it('is sealed all the way down', () => {
    const result = buildCanonicalResult(identity, outcome);
    expect(CanonicalToolResult.safeParse(result).success).toBe(true);
    expect(() => void ((result.data as { rows: { a: number }[] }).rows[0]!.a = 2)).toThrow(TypeError);
    expect(() => void (result.warnings as unknown[]).push({})).toThrow(TypeError);
    expect(() => void Object.assign(result, { status: 'error' })).toThrow(TypeError);
  });

  it('has the business data that it was given, untouched', () => {
    const data = { nested: [{ zero: 0, nothing: null, text: '' }], number: 1e21 };
    expect(buildCanonicalResult(identity, { ...outcome, data }).data).toBe(data);
  });
});

describe('an error that a plugin reports', () => {
  const convert = (error: unknown, context: Partial<Parameters<typeof toolErrorOfPlugin>[1]> = {}) =>
    toolErrorOfPlugin(PluginError.parse(error), { cancelled: false, declaredErrorCodes: null, ...context });

  it('keeps every structured detail', () => {
    const reported = {
      code: 'DOUBAO.REJECTED',
      message: 'refused',
      retryable: true,
      target: 'prompt',
      details: { words: ['a'], score: 0.9 },
      cause: { code: 'E1', message: 'upstream' },
    };
    expect(convert(reported)).toEqual({ error: { ...reported, category: 'domain' }, warnings: [] });
  });

  it.each([
    ['INVALID_ARGUMENT', 'validation'],
    ['UPSTREAM_ERROR', 'dependency'],
    ['FILE_NOT_FOUND', 'dependency'],
    ['RESOURCE_TOO_LARGE', 'validation'],
    ['TOOL_TIMEOUT', 'domain'],
    ['INTERNAL_ERROR', 'domain'],
    ['UNAUTHORIZED', 'domain'],
    ['MY.OWN', 'domain'],
  ])('with the code %s and no category is of category %s', (code, category) => {
    expect(convert({ code, message: 'm' }).error.category).toBe(category);
  });

  it.each(['domain', 'validation', 'dependency'])('may say that it is of category %s', (category) => {
    const { error, warnings } = convert({ code: 'MY.OWN', message: 'm', category });
    expect([error.category, warnings]).toEqual([category, []]);
  });

  it.each(['approval', 'authorization', 'transport', 'protocol', 'runtime', 'cancelled', 'timeout'])(
    'may not say that it is of category %s',
    (category) => {
      const { error, warnings } = convert({ code: 'MY.OWN', message: 'm', category });
      expect([error.category, warnings.map((warning) => warning.code)]).toEqual([
        'domain',
        ['ERROR_CATEGORY_REPLACED'],
      ]);
    },
  );

  it('is of category cancelled when the result is', () => {
    expect(convert({ code: 'MY.OWN', message: 'm' }, { cancelled: true }).error.category).toBe('cancelled');
  });

  it('is warned about when its code was not declared', () => {
    const declaredErrorCodes = new Set(['MY.OWN']);
    const codes = ['MY.OWN', 'MY.OTHER', 'FORBIDDEN'].map((code) =>
      convert({ code, message: 'm' }, { declaredErrorCodes }).warnings.map((warning) => warning.code),
    );
    expect(codes).toEqual([[], ['UNDECLARED_ERROR_CODE'], []]);
    expect(convert({ code: 'MY.OTHER', message: 'm' }, { declaredErrorCodes: null }).warnings).toEqual([]);
  });
});

describe('a failure of the core', () => {
  it.each([
    ['TOOL_NOT_FOUND', 'validation'],
    ['TOOL_DISABLED', 'runtime'],
    ['TOOL_TIMEOUT', 'timeout'],
    ['TOOL_CANCELLED', 'cancelled'],
    ['TRANSPORT_FAILURE', 'transport'],
    ['INVALID_TOOL_RESULT', 'protocol'],
    ['APPROVAL_REJECTED', 'approval'],
    ['FORBIDDEN', 'authorization'],
    ['INTERNAL_ERROR', 'runtime'],
    ['VCP.OVERLOADED', 'runtime'],
  ] as const)('%s is of category %s', (code, category) => {
    expect(toolErrorOfFailure({ code, message: 'm' })).toEqual({
      code,
      message: 'm',
      category,
      retryable: false,
      target: null,
      details: null,
      cause: null,
    });
  });

  it('may state another category', () => {
    expect(toolErrorOfFailure({ code: 'INVALID_TOOL_RESULT', message: 'm', category: 'validation' }).category).toBe(
      'validation',
    );
  });

  it('has a message of bounded, valid text', () => {
    const { message } = toolErrorOfFailure({ code: 'INTERNAL_ERROR', message: `a${'😀'.repeat(40_000)}` });
    expect([message.length, message.isWellFormed()]).toEqual([65_536, true]);
  });
});
