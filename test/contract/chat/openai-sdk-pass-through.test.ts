// The official library of OpenAI asks for embeddings and images through this server.
import OpenAI, { BadRequestError, RateLimitError } from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setUpPassThrough, type Answering, type PassThroughSetup } from '../../support/pass-through.ts';
import { base64Of, MAGIC } from '../../support/sample-values.ts';

let setup: PassThroughSetup;
beforeEach(() => {
  setup = setUpPassThrough();
});
afterEach(() => setup.close());

const start = async (answer: Answering, variables: Record<string, string> = {}) => {
  const server = await setup.start(answer, variables);
  return { ...server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'key-of-alice', maxRetries: 0 }) };
};

const json =
  (body: object, status = 200): Answering =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

it('gets embeddings as floats, which it asks for in Base64', async () => {
  const floats = Float32Array.from([0.5, -1.25, 3]);
  const { client, received } = await start(({ body }, response) => {
    // The library asks for Base64 of its own accord, and decodes it.
    const { encoding_format: format } = JSON.parse(body.toString()) as { encoding_format: string };
    const embedding = format === 'base64' ? Buffer.from(floats.buffer).toString('base64') : [...floats];
    json({
      object: 'list',
      model: 'text-embedding-3-small',
      data: [{ object: 'embedding', index: 0, embedding }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })({} as never, response);
  });
  const { data, usage } = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['a fox'] });
  expect(data[0]?.embedding).toEqual([0.5, -1.25, 3]);
  expect(usage.total_tokens).toBe(2);
  expect(JSON.parse(received[0]!.body.toString())).toEqual({
    model: 'text-embedding-3-small',
    input: ['a fox'],
    encoding_format: 'base64',
  });
});

it('gets images: as they came, and as addresses', async () => {
  const PNG = base64Of(MAGIC.png);
  const answer = json({ created: 1, data: [{ b64_json: PNG }] });
  const asked = { model: 'gpt-image-1', prompt: 'a fox' } as const;
  const untouched = await start(answer);
  expect((await untouched.client.images.generate(asked)).data).toEqual([{ b64_json: PNG }]);
  const kept = await start(answer, { VCP_IMAGE_RESPONSES: 'resources' });
  expect((await kept.client.images.generate(asked)).data).toEqual([
    { url: expect.stringMatching(/^https:.*[?&]sig=/) },
  ]);
});

it('streams the images of a model', async () => {
  const events = [
    { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'AAAA' },
    { type: 'image_generation.completed', b64_json: 'BBBB' },
  ];
  const { client } = await start((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  const stream = await client.images.generate({ model: 'gpt-image-1', prompt: 'a fox', stream: true });
  const seen: unknown[] = [];
  for await (const event of stream) seen.push(event);
  expect(seen).toEqual(events);
});

it('raises its own errors: for a model on no list, and for what the upstream says', async () => {
  const { client } = await start(json({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 429));
  const unlisted = client.embeddings.create({ model: 'gpt-5', input: 'x' });
  await expect(unlisted).rejects.toThrow(BadRequestError);
  await expect(unlisted).rejects.toThrow('on no white list of this server');
  const refused = client.embeddings.create({ model: 'text-embedding-3-small', input: 'x' });
  await expect(refused).rejects.toThrow(RateLimitError);
  await expect(refused).rejects.toThrow('slow down');
});
