import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { createDirectTransport } from '../../../src/transport/direct/direct-transport.ts';
import { callSample, createMemoryRuntime, success, type MemoryRuntime } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

/** What a call left behind: its result as it is stored, and its record, each as JSON text. */
const traces = async (parts: MemoryRuntime, result: CanonicalToolResult) => ({
  stored: JSON.stringify((await parts.calls.getResult(result.id))?.result),
  record: JSON.stringify(await parts.calls.getRecord(result.execution.recordId ?? '')),
});

describe('a result with a text of 8 MB', () => {
  it.each([
    ['that begins like a JWT', `eyJ${'a'.repeat(8_000_000)}`],
    ['of beginnings of JWTs', `eyJ${'a'.repeat(8_000)}.`.repeat(1_000)],
    ['that begins like a private key', `-----BEGIN PRIVATE KEY-----${'A'.repeat(8_000_000)}`],
    ['that begins like credentials', `Bearer ${'a'.repeat(8_000_000)}`],
    ['that begins like a password', `password=${'x'.repeat(8_000_000)}`],
    ['that begins like a path', `/home${'/a'.repeat(4_000_000)}`],
  ])('%s is stored and recorded', async (_, text) => {
    const parts = createMemoryRuntime({ answer: () => success({ text }) });
    const result = await callSample(parts);
    expect([result.status, result.warnings]).toEqual(['success', []]);
    const { stored, record } = await traces(parts, result);
    expect(stored.length).toBeGreaterThan(8_000_000);
    expect(record.length).toBeLessThan(20_000);
    expect(parts.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a result that the rules fail on', () => {
  // What the rules ask for first; a fault of the engine inside a rule arrives in the same way.
  const failing = new Proxy([], {
    get: () => {
      throw new RangeError('Maximum call stack size exceeded');
    },
  });

  it('counts as confidential, and is stored and recorded without the words of its plugin', async () => {
    const parts = createMemoryRuntime({
      knownPaths: failing,
      answer: () => ({
        status: 'error',
        data: null,
        error: { code: 'TEST.FAILED', message: 'secret words', details: { more: 'secret words' } },
      }),
    });
    const result = await callSample(parts);
    expect(result).toMatchObject({
      status: 'error',
      error: { message: 'secret words' },
      policy: { classification: 'confidential', containsSensitiveData: true },
    });
    const { stored, record } = await traces(parts, result);
    expect(stored).toContain('secret words');
    expect(record).toContain('"errorCode":"TEST.FAILED"');
    expect(record).not.toContain('secret words');
  });
});

describe('names of absurd length', () => {
  const closed = { type: 'object', properties: {}, additionalProperties: false };
  const strict = manifest({}, { inputSchema: closed, outputSchema: closed });
  const answering = (answer: unknown) =>
    createDirectTransport({ load: async () => ({ processToolCall: () => answer }) }, DEFAULT_LIMITS);
  const names = [5_000, 2_000_000].map((length): [number, string] => [length, 'k'.repeat(length)]);

  const expectSmall = async (parts: MemoryRuntime, result: CanonicalToolResult) => {
    expect(CanonicalToolResult.safeParse(result).error?.issues ?? []).toEqual([]);
    const { stored, record } = await traces(parts, result);
    expect([stored.length < 10_000, record.length < 12_000]).toEqual([true, true]);
  };

  it.each(names)('of an argument, %i characters, give a small refusal', async (_, name) => {
    const parts = createMemoryRuntime({ manifests: [strict] });
    const result = await callSample(parts, { [name]: 1 });
    expect(result.error?.code).toBe('INVALID_ARGUMENT');
    await expectSmall(parts, result);
  });

  it.each<[string, (name: string) => unknown]>([
    ['a field of data', (name) => success({ [name]: 1 })],
    ['a field of the payload', (name) => success({}, { [name]: 1 })],
    [
      'a field of the error',
      (name) => ({ status: 'error', data: null, error: { code: 'A.B', message: 'm', [name]: 1 } }),
    ],
    ['a value that JSON cannot carry', (name) => success({ [name]: undefined })],
    ['a reference to nothing', (name) => success({ [name]: { $resource: 'x' } })],
  ])('of %s give a small refusal', async (_, answerWith) => {
    for (const [, name] of names) {
      const parts = createMemoryRuntime({ manifests: [strict], transport: answering(answerWith(name)) });
      const result = await callSample(parts);
      expect(result.error?.code).toBe('INVALID_TOOL_RESULT');
      await expectSmall(parts, result);
    }
  });

  it('of an argument that JSON cannot carry give a small refusal', async () => {
    const parts = createMemoryRuntime();
    const result = await callSample(parts, { ['k'.repeat(2_000_000)]: Number.NaN });
    expect(result.error?.code).toBe('INVALID_ARGUMENT');
    await expectSmall(parts, result);
  });

  it('may be cut anywhere, also inside an escape', async () => {
    for (const name of ['~'.repeat(5_000), `a${'~'.repeat(5_000)}`, 'a~/b', '/'.repeat(5_000)]) {
      const parts = createMemoryRuntime({ manifests: [strict] });
      const result = await callSample(parts, { [name]: 1 });
      expect(result.error?.code).toBe('INVALID_ARGUMENT');
      await expectSmall(parts, result);
    }
  });
});

describe('the record of a call', () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`row ${n}`, { password: 'p' }]));

  it.each<[string, Record<string, unknown>]>([
    ['2 MB in the details of a warning', { warnings: [warning({ text: 'x'.repeat(2_000_000) })] }],
    ['a name of 2 MB in the details of a warning', { warnings: [warning({ ['k'.repeat(2_000_000)]: 1 })] }],
    ['20,000 warnings', { warnings: Array.from({ length: 20_000 }, () => warning(null)) }],
    ['a name of 2 MB in data', { data: { ['k'.repeat(2_000_000)]: 1 } }],
    ['a secret under a name of 2 MB', { data: { ['k'.repeat(2_000_000)]: { password: 'p' } } }],
    ['50,000 secrets', { data: many }],
  ])('is small, whatever the result has: %s', async (_, fields) => {
    const parts = createMemoryRuntime({ answer: () => success(null, fields) });
    const result = await callSample(parts);
    expect(result.status).toBe('success');
    const { record } = await traces(parts, result);
    expect(record.length).toBeLessThan(40_000);
    expect(record).toContain(`"resultId":"${result.id}"`);
  });
});

function warning(details: Record<string, unknown> | null) {
  return { code: 'TEST.NOTED', message: 'm'.repeat(100), target: null, details };
}
