// `npm run demo`: a conversation with two tools and a picture, without a network. The model says what
// examples/demo/script.json tells it to; the server, the endpoint and the tools are the real ones.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import OpenAI from 'openai';
import { sleep } from '../src/lib/sleep.ts';
import { createScriptedModel } from '../src/chat/models/scripted.ts';
import { ModelScript } from '../src/chat/models/scripted/script.ts';
import { createVcpClient } from '../src/client/vcp-client.ts';
import { startServer } from '../adapters/node/start-server.ts';
import { loadConfiguration } from '../src/server/configuration.ts';
import packageJson from '../package.json' with { type: 'json' };
import { root } from './lib/repository.ts';

const QUESTION = 'What do 10,000 € become in ten years at 4 % compound interest? Show me.';
const PICTURE = 'demo-chart.png';

const data = mkdtempSync(join(tmpdir(), 'vcp-demo-'));
const loaded = loadConfiguration({ VCP_DATA_DIR: data, VCP_PORT: '0' });
if (!loaded.ok) throw new Error('the configuration of the demo is not valid');
const silent = () => undefined;
const script = ModelScript.parse(JSON.parse(readFileSync(join(root, 'examples/demo/script.json'), 'utf8')));
const server = await startServer({
  ...loaded,
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  environment: {},
  root,
  version: packageJson.version,
  model: createScriptedModel({ script, pause: { sleep } }),
});
try {
  process.stdout.write(`\n> ${QUESTION}\n\n`);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey });
  const stream = await client.chat.completions.create({
    model: 'scripted',
    messages: [{ role: 'user', content: QUESTION }],
    stream: true,
  });
  for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');

  const vcp = createVcpClient({ endpoint: server.url, apiKey: server.apiKey });
  const { records } = await vcp.listRecords();
  process.stdout.write('\n\nWhat the server did for it:\n');
  for (const { toolName, command, status, resultId, durationMs } of records.toReversed()) {
    process.stdout.write(`  ${toolName} · ${command}: ${status}, ${Math.round(durationMs)} ms, ${resultId}\n`);
    const { resources } = (await vcp.getResult(resultId)) as { resources: { id: string; mimeType: string }[] };
    const picture = resources.find(({ mimeType }) => mimeType === 'image/png');
    if (picture === undefined) continue;
    const { body } = await vcp.getResource(picture.id);
    await writeFile(PICTURE, new Uint8Array(await new Response(body).arrayBuffer()));
    process.stdout.write(`  its picture is in ${PICTURE}\n`);
  }
} finally {
  await server.close();
  rmSync(data, { recursive: true, force: true });
}
