import { describe, expect, it } from 'vitest';
import { callSample, createMemoryRuntime } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const strict = manifest(
  {},
  {
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
  },
);

describe('an error that a tool reports', () => {
  it('keeps its structured details and is never held against the schema of success', async () => {
    const error = {
      code: 'SAMPLE.BUSY',
      message: 'busy',
      retryable: true,
      target: 'n',
      details: { queue: [1, 2, { deep: true }] },
      cause: { code: null, message: 'locked' },
    };
    const parts = createMemoryRuntime({
      manifests: [strict],
      answer: () => ({ status: 'error', data: { diagnostics: ['any shape'] }, error }),
    });
    const result = await callSample(parts, { n: 1 });
    expect(result.error).toEqual({ ...error, category: 'domain' });
    expect(result.data).toEqual({ diagnostics: ['any shape'] });
    expect(result.warnings).toEqual([]);
  });

  it('comes with the warnings that it deserves', async () => {
    const parts = createMemoryRuntime({
      manifests: [manifest({}, { errorCodes: ['SAMPLE.BUSY'] })],
      answer: () => ({
        status: 'error',
        data: null,
        error: { code: 'SAMPLE.OTHER', message: 'm', category: 'runtime' },
        warnings: [{ code: 'OWN', message: 'm' }],
      }),
    });
    expect((await callSample(parts)).warnings.map((warning) => warning.code)).toEqual([
      'OWN',
      'ERROR_CATEGORY_REPLACED',
      'UNDECLARED_ERROR_CODE',
    ]);
  });
});
