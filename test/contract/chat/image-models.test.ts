// Image models behind a real upstream: what is added to their requests, and what becomes of their images.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  setUpPassThrough,
  type Answering,
  type PassThroughServer,
  type PassThroughSetup,
} from '../../support/pass-through.ts';
import { base64Of, MAGIC } from '../../support/sample-values.ts';

let setup: PassThroughSetup;
beforeEach(() => {
  setup = setUpPassThrough();
});
afterEach(() => setup.close());

const PNG = base64Of(MAGIC.png);
const JPEG = base64Of(MAGIC.jpeg);

const answering =
  (body: unknown, type = 'application/json'): Answering =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));

const IMAGES = '/v1/images/generations';
const request = (more: object = {}) => JSON.stringify({ model: 'gpt-image-1', prompt: 'a fox', ...more });
const ADDED = '{"generationConfig":{"responseModalities":["TEXT","IMAGE"]},"size":"1024x1024","n":null}';
const KEPT = { VCP_IMAGE_RESPONSES: 'resources' };

/** What the address of a kept image gives, without a key. */
const opened = async ({ memory }: PassThroughServer, address: string) => {
  expect(address).toMatch(/^https:\/\/vcp\.example\/v1\/resources\/res_[0-9A-Z]{26}\/[^?]+\?exp=\d+&sig=[\w-]{43}$/);
  const response = await memory.app.request(address.slice('https://vcp.example'.length));
  return [
    response.status,
    response.headers.get('content-type'),
    Buffer.from(await response.arrayBuffer()).toString('base64'),
  ];
};

describe('a request for an image model', () => {
  it('passes byte for byte where nothing is configured, and so does its answer', async () => {
    const answer = `{ "data" : [ {"b64_json":"${PNG}"} ], "created":1.0 }`;
    const { post, received } = await setup.start(answering(answer));
    const body = '{"prompt" : "a fox",  "model":"GPT-Image-1", "n":1.0}';
    const response = await post(IMAGES, body);
    expect(await response.text()).toBe(answer);
    expect([received[0]!.url, received[0]!.body.toString()]).toEqual([IMAGES, body]);
  });

  it('gets what the operator adds: fields within fields, in the place of others, and away', async () => {
    const { post, received } = await setup.start(answering({}), { VCP_IMAGE_REQUEST_ADDITIONS: ADDED });
    await post(IMAGES, request({ size: '256x256', n: 4, generationConfig: { seed: 7 } }));
    expect(JSON.parse(received[0]!.body.toString())).toEqual({
      model: 'gpt-image-1',
      prompt: 'a fox',
      size: '1024x1024',
      generationConfig: { seed: 7, responseModalities: ['TEXT', 'IMAGE'] },
    });
  });

  it('keeps its model under the additions, by the name that the alias stands for', async () => {
    const { post, received } = await setup.start(answering({}), {
      VCP_IMAGE_REQUEST_ADDITIONS: ADDED,
      VCP_MODEL_REDIRECTS: 'draw=gpt-image-1',
    });
    await post(IMAGES, request({ model: 'draw' }));
    expect(JSON.parse(received[0]!.body.toString())).toMatchObject({ model: 'gpt-image-1' });
  });

  it('goes past the chat endpoint too, and no other request does', async () => {
    const answer = '{"choices" : [{"message":{"content":"{{Date}} <<<[TOOL_REQUEST]>>>"}}]}';
    const { post, received } = await setup.start(answering(answer));
    const chat = (model: string) => JSON.stringify({ model, messages: [{ role: 'user', content: '{{Date}}' }] });
    const response = await post('/v1/chat/completions', chat('gpt-image-1'));
    expect(await response.text()).toBe(answer);
    expect([received[0]!.url, received[0]!.body.toString()]).toEqual(['/v1/chat/completions', chat('gpt-image-1')]);
    // The chat endpoint of this test fails when it is asked.
    expect((await post('/v1/chat/completions', chat('text-embedding-3-small'))).status).toBe(500);
    expect((await post('/v1/chat/completions', chat('gpt-5'))).status).toBe(500);
    expect((await post('/v1/chat/completions', '{"model":"gpt-image-1","model":"gpt-5","messages":[]}')).status).toBe(
      400,
    );
    expect(received).toHaveLength(1);
  });

  it('is refused when the additions cannot be merged into it', async () => {
    const { post, received } = await setup.start(answering({}), { VCP_IMAGE_REQUEST_ADDITIONS: ADDED });
    const response = await post(IMAGES, '{"model":"gpt-image-1","prompt":tru}');
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'INVALID_REQUEST']);
    expect(received).toEqual([]);
  });
});

describe('images that are kept', () => {
  it('have an address in their place, which opens without a key', async () => {
    const answer = { created: 1, data: [{ b64_json: PNG, revised_prompt: 'a red fox' }, { b64_json: JPEG }] };
    const server = await setup.start(answering(answer), KEPT);
    const response = await server.post(IMAGES, request());
    const { data, ...rest } = (await response.json()) as { data: { url: string }[] };
    expect(rest).toEqual({ created: 1 });
    expect(data).toEqual([{ url: expect.any(String), revised_prompt: 'a red fox' }, { url: expect.any(String) }]);
    expect(await opened(server, data[0]!.url)).toEqual([200, 'image/png', PNG]);
    expect(await opened(server, data[1]!.url)).toEqual([200, 'image/jpeg', JPEG]);
  });

  it('are the caller’s, as its uploads are, and nobody else’s', async () => {
    const server = await setup.start(answering({ data: [{ b64_json: PNG }] }), KEPT);
    const { data } = (await (await server.post(IMAGES, request())).json()) as { data: [{ url: string }] };
    const path = new URL(data[0].url).pathname;
    expect((await server.memory.send(path)).status).toBe(200);
    expect((await server.memory.send(path, { as: 'bob' })).status).toBe(404);
  });

  it('are found in messages: as data URIs, within a text, and as Gemini has them', async () => {
    const uri = `data:image/png;base64,${PNG}`;
    const message = {
      content: `Here: ![fox](${uri}) and ![again](data:image/jpeg;base64,${JPEG}).`,
      images: [{ type: 'image_url', image_url: { url: uri } }],
      parts: [
        { inlineData: { mimeType: 'image/png', data: PNG } },
        { inline_data: { mime_type: 'image/jpeg', data: JPEG } },
      ],
      audio: { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
      note: 'data:text/plain;base64,AAAA',
    };
    const server = await setup.start(answering({ choices: [{ message }] }), KEPT);
    const body = JSON.stringify({ model: 'gpt-image-1', messages: [] });
    const answer = (await (await server.post('/v1/chat/completions', body)).json()) as {
      choices: [{ message: Record<string, never> & { content: string; images: [{ image_url: { url: string } }] } }];
    };
    const got = answer.choices[0].message;
    expect(got).toEqual({
      content: expect.stringMatching(/^Here: !\[fox\]\(https:\/\/\S+\) and !\[again\]\(https:\/\/\S+\)\.$/),
      images: [{ type: 'image_url', image_url: { url: expect.stringMatching(/^https:/) } }],
      parts: [
        { fileData: { mimeType: 'image/png', fileUri: expect.stringMatching(/^https:/) } },
        { file_data: { mime_type: 'image/jpeg', file_uri: expect.stringMatching(/^https:/) } },
      ],
      audio: message.audio,
      note: message.note,
    });
    expect(await opened(server, got.images[0].image_url.url)).toEqual([200, 'image/png', PNG]);
  });

  it('are found in a stream, event by event', async () => {
    const stream = [
      ': keep-alive\n\n',
      `event: image_generation.partial_image\nid: 7\ndata: ${JSON.stringify({ type: 'partial', b64_json: PNG })}\n\n`,
      'data: {"n":1.0}\n\n',
      'data: [DONE]\n\n',
    ].join('');
    const server = await setup.start((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      // At places where nothing ends.
      for (let at = 0; at < stream.length; at += 7) response.write(stream.slice(at, at + 7));
      response.end();
    }, KEPT);
    const response = await server.post(IMAGES, request({ stream: true }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await response.text();
    const url = /"url":"([^"]+)"/.exec(text)![1]!;
    expect(text.replace(url, 'URL')).toBe(
      ': keep-alive\n\nevent: image_generation.partial_image\nid: 7\ndata: {"type":"partial","url":"URL"}\n\ndata: {"n":1.0}\n\ndata: [DONE]\n\n',
    );
    expect(await opened(server, url)).toEqual([200, 'image/png', PNG]);
  });

  it.each([
    ['no image', '{ "data":[], "n":1.0 }'],
    ['no Base64', '{"data":[{"b64_json":"%%%"}], "n":1.0}'],
    ['no JSON', '<html>'],
  ])('leave an answer as it came that has %s', async (_what, answer) => {
    const { post } = await setup.start(answering(answer), KEPT);
    expect(await (await post(IMAGES, request())).text()).toBe(answer);
  });

  it('stay in the answer when they cannot be kept, or are too many: they are paid for', async () => {
    const small = await setup.start(answering({ data: [{ b64_json: PNG }] }), KEPT, { resourceBytes: 4 });
    expect(await (await small.post(IMAGES, request())).json()).toEqual({ data: [{ b64_json: PNG }] });
    const few = await setup.start(answering({ data: [{ b64_json: PNG }, { b64_json: PNG }] }), KEPT, {
      resourcesPerResult: 1,
    });
    const { data } = (await (await few.post(IMAGES, request())).json()) as { data: object[] };
    expect(data).toEqual([{ url: expect.any(String) }, { b64_json: PNG }]);
  });

  it('are not looked for in errors, nor in the answers of embedding models', async () => {
    const answer = `{ "data":[{"b64_json":"${PNG}"}] }`;
    const { post } = await setup.start((received, response) => {
      response.writeHead(received.url === IMAGES ? 400 : 200, { 'content-type': 'application/json' }).end(answer);
    }, KEPT);
    const refused = await post(IMAGES, request());
    expect([refused.status, await refused.text()]).toEqual([400, answer]);
    const embedded = await post('/v1/embeddings', '{"model":"text-embedding-3-small"}');
    expect([embedded.status, await embedded.text()]).toEqual([200, answer]);
  });

  it('do not make an answer that is too large for memory', async () => {
    const { post } = await setup.start(answering({ data: [{ b64_json: 'A'.repeat(2_000) }] }), KEPT, {
      upstreamAnswerBytes: 1_000,
    });
    const response = await post(IMAGES, request());
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([502, 'UPSTREAM_TOO_LARGE']);
  });
});

describe('the list of models', () => {
  const idsOf = async ({ url }: PassThroughServer) => {
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer key-of-alice' } });
    const { data, vcp } = (await response.json()) as { data?: { id: string }[]; vcp?: { incomplete: string } };
    return { status: response.status, ids: data?.map(({ id }) => id), incomplete: vcp?.incomplete };
  };

  it('has those of the upstream, aliases and white lists, each once', async () => {
    const server = await setup.start(answering({ data: [{ id: 'gpt-5' }, { id: 'GPT-Image-1' }] }), {
      VCP_MODEL_REDIRECTS: 'best=gpt-5,draw=gpt-image-1',
    });
    expect(await idsOf(server)).toEqual({
      status: 200,
      ids: ['best', 'draw', 'gpt-5', 'GPT-Image-1', 'text-embedding-3-small', 'Other-Embedding'],
    });
  });

  it('has what is configured when the upstream does not tell, and says so', async () => {
    const server = await setup.start((_, response) => void response.writeHead(403).end('no'), {
      VCP_MODEL_REDIRECTS: 'best=gpt-5',
    });
    expect(await idsOf(server)).toEqual({
      status: 200,
      ids: ['best', 'text-embedding-3-small', 'Other-Embedding', 'gpt-image-1'],
      incomplete: 'the upstream answered 403: no',
    });
  });

  it('fails with the upstream when nothing is configured', async () => {
    const server = await setup.start((_, response) => void response.writeHead(403).end('no'), {
      VCP_WHITELIST_EMBEDDING_MODELS: '',
      VCP_WHITELIST_IMAGE_MODELS: '',
    });
    expect(await idsOf(server)).toMatchObject({ status: 502, ids: undefined });
  });
});
