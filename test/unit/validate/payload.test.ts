import { describe, expect, it } from 'vitest';
import { validatePayload, type PayloadExpectation } from '../../../src/validate/validate-payload.ts';
import { ERROR, TASK } from '../../support/sample-values.ts';

const SYNCHRONOUS: PayloadExpectation = { pluginType: 'synchronous', async: false, reportedIssues: 16 };
const validate = (answer: unknown, expected: Partial<PayloadExpectation> = {}) =>
  validatePayload(answer, { ...SYNCHRONOUS, ...expected });
const failure = (answer: unknown, expected: Partial<PayloadExpectation> = {}) => {
  const validated = validate(answer, expected);
  return validated.ok ? null : validated.failure;
};

describe('a plugin’s answer', () => {
  it('is taken when it keeps to the protocol', () => {
    expect(validate({ status: 'success', data: { a: 1 } }).ok).toBe(true);
  });

  it.each(['id', 'protocol', 'tool', 'execution', 'actor', 'origin', 'record', 'policy'])(
    'is refused when it forges "%s"',
    (field) => {
      expect(failure({ status: 'success', data: null, [field]: null })).toMatchObject({
        code: 'INVALID_TOOL_RESULT',
        message: `the plugin broke the result protocol: /${field}: "${field}" is written by the core alone; remove it from the result (§5.1)`,
        target: field,
        details: { pointer: `/${field}` },
      });
    },
  );

  it.each([
    null,
    5,
    'done',
    [],
    {},
    { status: 'ok' },
    { status: 'success', result: {} },
    { status: 'timeout', data: null, error: ERROR },
  ])('is refused when it is %j', (answer) => {
    expect(failure(answer)).toMatchObject({ code: 'INVALID_TOOL_RESULT' });
  });

  it('does not lose an error that was badly formed', () => {
    expect(
      failure({ status: 'error', data: null, error: { code: 'my code', message: 'disk full', extra: 1 } })?.details,
    ).toMatchObject({
      pluginError: { code: 'my code', message: 'disk full' },
    });
  });

  it('is quoted with bounds and whole characters', () => {
    const details = failure({ status: 'error', error: { code: 5, message: `a${'😀'.repeat(2_000)}` } })?.details as {
      pluginError: { code: null; message: string };
    };
    expect(details.pluginError.code).toBeNull();
    expect(details.pluginError.message).toHaveLength(1_000);
    expect(details.pluginError.message.isWellFormed()).toBe(true);
  });
});

describe('the status of a first answer', () => {
  const accepted = { status: 'accepted', data: null, task: TASK };
  const error = { status: 'error', data: null, error: ERROR };
  const success = { status: 'success', data: null };
  const cancelled = { status: 'cancelled', error: ERROR };

  it.each<[string, Partial<PayloadExpectation>, unknown, boolean]>([
    ['synchronous', { pluginType: 'synchronous' }, success, true],
    ['synchronous', { pluginType: 'synchronous' }, accepted, false],
    ['synchronous', { pluginType: 'synchronous' }, cancelled, true],
    ['synchronous with an async command', { pluginType: 'synchronous', async: true }, accepted, true],
    ['synchronous with an async command', { pluginType: 'synchronous', async: true }, success, true],
    ['hybrid', { pluginType: 'hybridservice' }, accepted, false],
    ['hybrid with an async command', { pluginType: 'hybridservice', async: true }, accepted, true],
    ['asynchronous', { pluginType: 'asynchronous' }, accepted, true],
    ['asynchronous', { pluginType: 'asynchronous' }, error, true],
    ['asynchronous', { pluginType: 'asynchronous' }, success, false],
    ['asynchronous', { pluginType: 'asynchronous' }, cancelled, false],
  ])('%s: %j, %j is legal: %s', (_, expected, answer, legal) => {
    expect(validate(answer, expected).ok).toBe(legal);
  });

  it('is named as the place at fault', () => {
    expect(failure(accepted)).toMatchObject({ target: 'status', details: { pointer: '/status' } });
  });
});
