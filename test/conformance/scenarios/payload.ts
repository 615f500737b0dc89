import { expect, it } from 'vitest';
import { success, type Caller } from '../target.ts';

const TASK = { id: 'task_01K00000000000000000000000', state: 'queued' };
const ERROR = { code: 'ECHO.DECLARED', message: 'it did not work' };

/** §17.1: what a plugin may answer, and what the core makes of everything else. */
export const payloadScenarios = ({ answer }: Caller): void => {
  it.each([
    ['success', success({ n: 1 }), { data: { n: 1 }, error: null, task: null }],
    ['success with null data', success(null), { data: null, error: null }],
    [
      'success of a completed task',
      success(1, { task: { ...TASK, state: 'completed' } }),
      { data: 1, task: { state: 'completed' } },
    ],
    ['partial', { status: 'partial', data: [1] }, { data: [1], error: null }],
    ['partial with an error', { status: 'partial', data: [1], error: ERROR }, { data: [1], error: ERROR }],
    ['error', { status: 'error', data: null, error: ERROR }, { data: null, error: ERROR }],
    [
      'error with diagnostics',
      { status: 'error', data: { step: 2 }, error: ERROR },
      { data: { step: 2 }, error: ERROR },
    ],
    ['cancelled', { status: 'cancelled', error: ERROR }, { data: null, error: { ...ERROR, category: 'cancelled' } }],
  ])('takes a payload of %s', async (_, payload, expected) => {
    const result = await answer(payload);
    expect(result).toMatchObject({ status: (payload as { status: string }).status, warnings: [], ...expected });
  });

  it('fills in what a payload may leave out, and the whole of the core’s own fields', async () => {
    const result = await answer(success(null));
    expect(result).toMatchObject({
      protocol: { name: 'vcp.tool-result', version: '1.0' },
      tool: { name: 'PayloadEcho', displayName: 'Payload Echo', version: '1.0.0', command: 'Answer' },
      execution: { timeoutMs: 10_000, attempt: 1 },
      actor: { type: 'human' },
      origin: { source: 'human', distributed: false, nodeId: null },
      resources: [],
      presentation: null,
      aiAdvice: null,
      policy: { classification: 'internal', containsSensitiveData: false, redactionsApplied: [] },
      extensions: {},
    });
  });

  it.each<[string, unknown, string]>([
    ['nothing at all', undefined, ''],
    ['a bare value', 'done', ''],
    ['a list', [success(1)], ''],
    ['no status', { data: null }, '/status'],
    ['an unknown status', { status: 'ok', data: null }, '/status'],
    ['no data', { status: 'success' }, '/data'],
    ['an unknown field', success(null, { result: 1 }), '/result'],
    ['an OpenAI content array', success(null, { content: [{ type: 'text', text: 'hi' }] }), '/content'],
    ['an extension without a namespace', success(null, { extensions: { calendar: 1 } }), '/extensions/calendar'],
    ['a malformed warning', success(null, { warnings: [{ code: 'lower-case', message: 'x' }] }), '/warnings/0/code'],
    ['success with an error', success(null, { error: ERROR }), '/error'],
    ['success of a running task', success(null, { task: { ...TASK, state: 'running' } }), '/task/state'],
    ['accepted without a task', { status: 'accepted', data: null }, '/task'],
    ['accepted with an error', { status: 'accepted', data: null, task: TASK, error: ERROR }, '/error'],
    [
      'accepted with an ended task',
      { status: 'accepted', data: null, task: { ...TASK, state: 'completed' } },
      '/task/state',
    ],
    ['accepted by a synchronous command', { status: 'accepted', data: null, task: TASK }, '/status'],
    ['partial without data', { status: 'partial', data: null }, '/data'],
    ['error without an error', { status: 'error', data: null }, '/error'],
    [
      'error of a completed task',
      { status: 'error', data: null, error: ERROR, task: { ...TASK, state: 'completed' } },
      '/task/state',
    ],
    ['cancelled without an error', { status: 'cancelled', data: null }, '/error'],
    [
      'cancelled with a failed task',
      { status: 'cancelled', error: ERROR, task: { ...TASK, state: 'failed' } },
      '/task/state',
    ],
    ['a timeout that the plugin claims', { status: 'timeout', error: { ...ERROR, code: 'TOOL_TIMEOUT' } }, '/status'],
    ['a task state that does not exist', success(null, { task: { ...TASK, state: 'paused' } }), '/task/state'],
    ['a task id that is not one', success(null, { task: { id: 'job-7', state: 'completed' } }), '/task/id'],
    [
      'an error code that is not one',
      { status: 'error', data: null, error: { code: 'oops', message: 'x' } },
      '/error/code',
    ],
    ['a dangling resource in data', success({ picture: { $resource: 'nothing' } }), '/data/picture/$resource'],
    [
      'a dangling primary resource',
      success(null, { presentation: { primaryResourceId: 'nothing' } }),
      '/presentation/primaryResourceId',
    ],
    [
      'a dangling resource in advice',
      success(null, { aiAdvice: { intent: 'relay', resourceIds: ['nothing'] } }),
      '/aiAdvice/resourceIds/0',
    ],
  ])('refuses %s, and points at it', async (_, payload, pointer) => {
    const result = await answer(payload);
    expect(result).toMatchObject({
      status: 'error',
      data: null,
      resources: [],
      error: { code: 'INVALID_TOOL_RESULT', category: 'protocol' },
    });
    expect(pointersOf(result.error?.details)).toContain(pointer);
  });

  it.each(['id', 'protocol', 'tool', 'execution', 'actor', 'origin', 'record', 'policy'])(
    'refuses a forged %s',
    async (field) => {
      const result = await answer(success(null, { [field]: { name: 'forged' } }));
      expect(result.error).toMatchObject({
        code: 'INVALID_TOOL_RESULT',
        category: 'protocol',
        target: field,
        details: { pointer: `/${field}` },
      });
      expect(result.error?.message).toContain('written by the core alone');
      expect(JSON.stringify(result)).not.toContain('forged');
    },
  );

  it('holds data against the output schema, in the plugin’s favour only when it fits', async () => {
    expect(await answer(success({ n: 1.5 }), 'AnswerNumber')).toMatchObject({ status: 'success', data: { n: 1.5 } });
    const result = await answer(success({ n: '1.5' }), 'AnswerNumber');
    expect(result).toMatchObject({
      status: 'error',
      data: null,
      error: { code: 'INVALID_TOOL_RESULT', category: 'validation' },
    });
    expect(pointersOf(result.error?.details)).toContain('/data/n');
  });

  it('never holds an error against the schema of success, and loses nothing of it', async () => {
    const error = {
      ...ERROR,
      retryable: true,
      target: 'n',
      details: { tried: [1, { deep: true }] },
      cause: { code: 'E1', message: 'why' },
    };
    const result = await answer({ status: 'error', data: { not: 'a number' }, error }, 'AnswerNumber');
    expect(result).toMatchObject({
      status: 'error',
      data: { not: 'a number' },
      error: { ...error, category: 'domain' },
    });
  });

  it('warns of an error code that the manifest does not declare', async () => {
    const result = await answer({ status: 'error', data: null, error: { code: 'ECHO.SURPRISE', message: 'x' } });
    expect(result.error?.code).toBe('ECHO.SURPRISE');
    expect(result.warnings).toMatchObject([{ code: 'UNDECLARED_ERROR_CODE', target: 'error.code' }]);
  });

  it.each(['transport', 'protocol', 'runtime', 'approval', 'authorization', 'cancelled', 'timeout'])(
    'replaces the category "%s", which is the core’s to give',
    async (category) => {
      const result = await answer({ status: 'error', data: null, error: { ...ERROR, category } });
      expect(result.error).toMatchObject({ code: 'ECHO.DECLARED', category: 'domain' });
      expect(result.warnings).toMatchObject([{ code: 'ERROR_CATEGORY_REPLACED', target: 'error.category' }]);
    },
  );

  it.each(['domain', 'validation', 'dependency'])(
    'keeps the category "%s", which is the plugin’s to give',
    async (category) => {
      const result = await answer({ status: 'error', data: null, error: { ...ERROR, category } });
      expect(result).toMatchObject({ error: { category }, warnings: [] });
    },
  );
};

/** The pointers that a refusal lists. */
const pointersOf = (details: unknown): string[] => {
  const { pointer, issues = [] } = (details ?? {}) as { pointer?: string; issues?: { pointer: string }[] };
  return [...(pointer === undefined ? [] : [pointer]), ...issues.map((issue) => issue.pointer)];
};
