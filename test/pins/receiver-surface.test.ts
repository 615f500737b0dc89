import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import openapi from '../../schemas/openapi-receiver.json' with { type: 'json' };
import { finalPayload } from '../support/async-tool.ts';
import { createTestReceiver } from '../support/receiver.ts';
import { sampleIds } from '../support/sample-calls.ts';
import { base64Of, MAGIC } from '../support/sample-values.ts';

describe('the HTTP surface of a receiver', () => {
  let receiver: Awaited<ReturnType<typeof createTestReceiver>>;
  beforeAll(async () => {
    receiver = await createTestReceiver();
  });
  afterAll(() => receiver.close());

  it('is this, and what its OpenAPI document describes', () => {
    const served = receiver.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`);
    const routes = [
      'GET /healthz',
      'GET /readyz',
      'GET /v1/events',
      'GET /v1/inbox',
      'GET /v1/inbox/blobs/:sha256',
      'GET /v1/ws',
      'GET /version',
      'POST /plugin-callback/:pluginName/:taskId',
      'POST /v1/inbox/acknowledgements',
      'POST /v1/tickets',
    ];
    expect([...new Set(served)].toSorted()).toEqual(routes);
    const described = Object.entries(openapi.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.toSorted()).toEqual(routes);
  });

  it('gives pages as the document says', async () => {
    const resources = [{ id: 'p', base64: base64Of(MAGIC.png) }];
    await receiver.send(sampleIds.next('task'), { result: finalPayload('one', { resources }) });
    await receiver.send(sampleIds.next('task'), { progress: { progress: 0.5 } });
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(openapi, 'openapi');
    const validate = ajv.getSchema('openapi#/components/schemas/InboxPage')!;
    const page = (await (await receiver.ask('/v1/inbox?limit=1')).json()) as { nextAfter: string };
    expect([validate(page), validate.errors]).toEqual([true, null]);
    const next = await (await receiver.ask(`/v1/inbox?after=${page.nextAfter}`)).json();
    expect([validate(next), validate.errors]).toEqual([true, null]);
    expect(next).toMatchObject({ items: [{ kind: 'progress' }], nextAfter: null });
  });
});
