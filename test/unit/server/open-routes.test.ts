import { describe, expect, it } from 'vitest';
import { createMemoryApp } from '../../support/memory-runtime.ts';
import { Problem } from '../../../src/protocol/problem.ts';
import { manifest } from '../../support/sample-values.ts';

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

describe('what is open to all', () => {
  const { send } = createMemoryApp();

  it.each([
    ['/healthz', { status: 'ok' }],
    ['/readyz', { ready: true }],
    ['/version', { name: 'vcp-runtime', version: '9.9.9', protocol: { name: 'vcp.tool-result', version: '1.0' } }],
    ['/schemas/1.0', { schemas: ['task'] }],
  ])('%s', async (path, body) => {
    const response = await send(path, { as: null });
    expect([response.status, await json(response)]).toEqual([200, body]);
  });

  it.each(['/schemas/1.0/task', '/schemas/1.0/task.schema.json', '/schemas/1.0/task.json'])(
    'the schema at %s',
    async (path) => {
      const response = await send(path, { as: null });
      expect(response.headers.get('content-type')).toBe('application/schema+json');
      expect(await json(response)).toEqual({ $id: 'urn:vcp:schema:1.0:task' });
    },
  );

  it('not a schema that there is not', async () => {
    expect((await send('/schemas/1.0/nothing', { as: null })).status).toBe(404);
  });

  it('the word that the server takes no more work', async () => {
    const closing = createMemoryApp({ app: { isReady: () => false } });
    expect((await closing.send('/readyz', { as: null })).status).toBe(503);
    expect((await closing.send('/healthz', { as: null })).status).toBe(200);
  });
});

describe('what needs a key', () => {
  const { send } = createMemoryApp();
  const paths = [
    '/openapi.json',
    '/metrics',
    '/v1/tools',
    '/v1/tools/Sample',
    '/v1/tools/Sample/commands/Run/ports',
    '/v1/results/x',
    '/v1/records',
    '/v1/records/x',
    '/v1/resources/x',
    '/v1/resources/x/y',
    '/v1/anything',
  ];

  it.each(paths)('%s', async (path) => {
    const response = await send(path, { as: null });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="vcp"');
    expect(Problem.safeParse(await response.json()).success).toBe(true);
  });

  it('a call above all', async () => {
    expect(
      (
        await send('/v1/human/tool', {
          as: null,
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(401);
  });

  it.each([
    'Bearer wrong',
    'Bearer key-of-alic',
    'Bearer  ',
    'Basic key-of-alice',
    'key-of-alice',
    'Bearer key-of-alice extra',
    'Bearer __proto__',
    'Bearer constructor',
  ])('and not "%s"', async (authorization) => {
    expect((await send('/v1/tools', { as: null, headers: { authorization } })).status).toBe(401);
  });

  it('the description of the surface, which a key opens', async () => {
    const response = await send('/openapi.json');
    expect([response.status, await json(response)]).toEqual([200, { openapi: '3.1.0' }]);
  });

  it('in a header whose scheme may be written in any case', async () => {
    expect((await send('/v1/tools', { as: null, headers: { authorization: 'bearer key-of-alice' } })).status).toBe(200);
  });
});

describe('problems', () => {
  const { send } = createMemoryApp();

  it('have the form of RFC 9457, a code of ours and the id of the request', async () => {
    const response = await send('/nowhere', { headers: { 'x-request-id': 'req_01JABCDEFGHJKMNPQRSTVWXYZ0' } });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await json(response)).toEqual({
      type: 'urn:vcp:problem:not-found',
      title: 'Not Found',
      status: 404,
      detail: 'there is nothing at GET /nowhere',
      code: 'NOT_FOUND',
      requestId: 'req_01JABCDEFGHJKMNPQRSTVWXYZ0',
    });
    expect(response.headers.get('x-request-id')).toBe('req_01JABCDEFGHJKMNPQRSTVWXYZ0');
  });

  it('do not repeat a request id that is not of our form', async () => {
    const id = (await send('/healthz', { headers: { 'x-request-id': 'evil\tid' } })).headers.get('x-request-id');
    expect(id).toMatch(/^req_[0-9A-Z]{26}$/);
  });

  it('of the server itself tell nothing but where to look', async () => {
    const { send: broken, logged } = createMemoryApp({
      app: { authenticator: { authenticate: () => Promise.reject(new Error('database password is x')) } },
    });
    const response = await broken('/v1/tools');
    expect(response.status).toBe(500);
    expect(JSON.stringify(await json(response))).not.toContain('password');
    expect(logged.find((entry) => entry.event === 'http.fault')?.level).toBe('error');
  });
});

describe('tools', () => {
  const parts = createMemoryApp({
    manifests: [manifest(), manifest({ name: 'Other', enabled: false }), { name: 'Broken' }],
  });
  const namesFor = async (as: string) =>
    ((await json(await parts.send('/v1/tools', { as })))['tools'] as { name: string }[]).map((tool) => tool.name);

  it('are those that the key may use', async () => {
    expect([await namesFor('alice'), await namesFor('limited')]).toEqual([['Other', 'Sample'], ['Other']]);
    expect((await parts.send('/v1/tools/Sample', { as: 'limited' })).status).toBe(404);
    expect((await parts.send('/v1/tools/Sample/commands/Run/ports', { as: 'limited' })).status).toBe(404);
  });

  it('are not named to a key that may not use them', async () => {
    for (const name of ['Sample', 'Smaple', 'Broken']) {
      expect(await json(await parts.send(`/v1/tools/${name}`, { as: 'limited' }))).toMatchObject({
        detail: `there is no tool "${name}"; the list of tools (vcp tools, GET /v1/tools) has the names`,
      });
    }
    expect(await json(await parts.send('/v1/tools/Othr', { as: 'limited' }))).toMatchObject({
      detail: 'there is no tool "Othr"; did you mean "Other"?',
    });
  });

  it('that were refused are for operators to see', async () => {
    expect(await json(await parts.send('/v1/tools?include=refused', { as: 'operator' }))).toHaveProperty(
      'refused.0.name',
      'Broken',
    );
    expect(await json(await parts.send('/v1/tools?include=refused', { as: 'alice' }))).not.toHaveProperty('refused');
    expect(await json(await parts.send('/v1/tools', { as: 'operator' }))).not.toHaveProperty('refused');
  });

  it('are described one by one, with a hint when the name is nearly right', async () => {
    expect(await json(await parts.send('/v1/tools/Sample'))).toMatchObject({
      name: 'Sample',
      commandField: 'command',
      commands: [{ commandIdentifier: 'Run' }],
    });
    expect(await json(await parts.send('/v1/tools/Smaple'))).toMatchObject({
      status: 404,
      code: 'TOOL_NOT_FOUND',
      detail: 'there is no tool "Smaple"; did you mean "Sample"?',
    });
  });

  const ANY_PORT = {
    name: '',
    pointer: '',
    within: [],
    type: 'any',
    format: null,
    required: true,
    title: null,
    resourceKind: null,
    more: false,
  };

  it('have ports', async () => {
    expect(await json(await parts.send('/v1/tools/Sample/commands/Run/ports'))).toEqual({
      inputs: [ANY_PORT],
      outputs: [ANY_PORT],
    });
    expect(await json(await parts.send('/v1/tools/Sample/commands/Walk/ports'))).toMatchObject({
      status: 404,
      code: 'UNKNOWN_COMMAND',
      detail: 'Sample has no command "Walk"; it has Run',
    });
  });

  it.each(['?include=all', '?unknown=1'])('are not asked for with %s', async (query) => {
    expect((await parts.send(`/v1/tools${query}`)).status).toBe(400);
  });
});
