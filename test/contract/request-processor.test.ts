// Chat requests on a server with its real parts: processes, modules, files and settings.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serverRoot } from '../../adapters/node/server-root.ts';
import { startServer, type RunningServer } from '../../adapters/node/start-server.ts';
import type { LogFields } from '../../src/ports/logger.ts';
import { loadConfiguration } from '../../src/server/configuration.ts';
import { chatContext } from '../support/chat.ts';
import { compileGuest } from '../support/guest-wat.ts';
import { manifestOf, sha256OfFile } from '../support/manifest.ts';
import { answersWith } from '../support/plain-guests.ts';

vi.setConfig({ testTimeout: 60_000 });

let root: string;
let servers: RunningServer[];
let logged: { readonly event: string; readonly fields: LogFields }[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-chat-')));
  mkdirSync(join(root, 'plugins'));
  servers = [];
  logged = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
  rmSync(root, { recursive: true, force: true });
});

const log = (event: string, fields: LogFields = {}) => void logged.push({ event, fields });
const logger = { debug: log, info: log, warn: log, error: log };

const start = async (variables: Record<string, string> = {}, environment: Record<string, string> = {}) => {
  const file = join(root, 'config.env');
  const read = () =>
    loadConfiguration({
      VCP_PORT: '0',
      VCP_DATA_DIR: join(root, 'data'),
      VCP_PLUGIN_DIRS: join(root, 'plugins'),
      VCP_WATCH: 'false',
      VCP_TIMEZONE: 'UTC',
      ...variables,
    });
  const loaded = read();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const server = await startServer({
    configuration: loaded.configuration,
    limits: loaded.limits,
    configurationSource: { read, file, applyLogLevel: () => undefined },
    logger,
    environment,
    root: serverRoot,
    version: '0.0.0',
  });
  servers.push(server);
  return server;
};

const write = (path: string, text: string) => {
  const whole = join(root, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, text);
  return whole;
};

/** A static plugin of one placeholder whose shell script is given. */
const writeStatic = (name: string, script: string, more: Record<string, unknown> = {}) => {
  write(`plugins/${name}/run.sh`, script);
  const capabilities = { systemPromptPlaceholders: [{ placeholder: `{{${name}}}` }] };
  const manifest = manifestOf({ name, args: ['run.sh'], more: { pluginType: 'static', capabilities, ...more } });
  write(`plugins/${name}/plugin-manifest.json`, JSON.stringify(manifest));
};
const saying = (data: string) =>
  `read -r frame\nprintf '%s\\n' '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":${data}}}'\n`;

const writeModule = (name: string, text: string, more: Record<string, unknown> = {}) => {
  const manifest = manifestOf({
    name,
    module: 'main.mjs',
    timeoutMs: 1_000,
    more: { pluginType: 'messagePreprocessor', capabilities: {}, ...more },
  });
  write(`plugins/${name}/plugin-manifest.json`, JSON.stringify(manifest));
  return sha256OfFile(write(`plugins/${name}/main.mjs`, text));
};

const prepare = async (server: RunningServer, content: string, model = 'gpt-4o') =>
  await server.requestProcessor.prepare({ model, messages: [{ role: 'system', content }] }, chatContext);
const textOf = async (server: RunningServer, content: string, model?: string) => {
  const prepared = await prepare(server, content, model);
  return prepared.ok ? prepared.messages[0]?.content : prepared.message;
};

describe('variables on a server', () => {
  it('come from settings, files and the clock, and follow changes without a reload', async () => {
    const environment = { VarUser: 'Mei', OPENAI_API_KEY: 'secret', VCP_API_KEY: 'a key of the server' };
    write('config.env', 'VarUser=ignored\nTarSystem=system.txt\nVCP_API_KEY=another key of the server\n');
    write('data/prompts/system.txt', 'You help {{VarUser}}.\n');
    write('data/prompts/agents/小雪.txt', '我是小雪。');
    const server = await start({}, environment);
    expect(await textOf(server, '{{TarSystem}} {{agent:小雪}} {{Timezone}}')).toBe('You help Mei. 我是小雪。 UTC');
    const secrets = '{{VCP_API_KEY}}{{OPENAI_API_KEY}}{{PATH}}';
    expect(await textOf(server, secrets)).toBe(secrets);
    write('data/prompts/system.txt', 'You serve {{VarUser}} tea.');
    expect(await textOf(server, '{{TarSystem}}')).toBe('You serve Mei tea.');
    write('config.env', 'TarSystem=Only this.\nSarModel1=gpt-*\nSarPrompt1=Be brief.\n');
    expect(await textOf(server, '{{TarSystem}} {{SarPrompt1}}')).toBe('Only this. Be brief.');
    expect(await textOf(server, '{{SarPrompt1}}', 'claude-4')).toBe('');
  });

  it('of prompts in another directory do not reach out of it', async () => {
    const secret = write('secret.txt', 'secret');
    const server = await start({ VCP_PROMPT_DIR: join(root, 'texts') }, { VarA: '../secret.txt', VarB: secret });
    write('texts/a.txt', 'here');
    expect(await textOf(server, '{{VarA}}{{VarB}}')).toBe('[VarA is not available now][VarB is not available now]');
  });

  it('tell of the tools that the caller may use', async () => {
    write('plugins/Tool/run.sh', saying('null'));
    write('plugins/Tool/plugin-manifest.json', JSON.stringify(manifestOf({ name: 'Tool', args: ['run.sh'] })));
    const server = await start();
    expect(await textOf(server, '{{VCPTool}}')).toContain('### Tool');
    const denied = await server.requestProcessor.prepare(
      { model: 'm', messages: [{ role: 'system', content: '{{VCPAllTools}}' }] },
      { ...chatContext, isOffered: (name) => name !== 'Tool' },
    );
    expect(denied.ok && denied.messages[0]?.content).not.toContain('### Tool');
  });
});

describe('static plugins on a server', () => {
  it('fill their placeholders, are no tools, and leave no results behind', async () => {
    writeStatic('Sky', saying('"blue {{Date}}"'));
    const server = await start();
    expect(await textOf(server, 'The sky is {{Sky}}.')).toBe('The sky is blue {{Date}}.');
    expect(server.registry.list().map(({ manifest }) => manifest.name)).not.toContain('Sky');
    expect(server.plugins.list().find(({ name }) => name === 'Sky')?.state).toBe('serving');
    const records = await fetch(`${server.url}/v1/records`, { headers: { authorization: `Bearer ${server.apiKey}` } });
    expect(await records.json()).toMatchObject({ records: [] });
  });

  it('are asked whatever the rules on approval say, since nobody waits there for a person', async () => {
    writeStatic('Sky', saying('"blue"'));
    const rules = [{ tools: ['*'], roles: ['ai'], effect: 'require' }];
    write('data/approval-rules.json', JSON.stringify({ version: 1, rules }));
    const server = await start();
    expect(await textOf(server, 'The sky is {{Sky}}.')).toBe('The sky is blue.');
    const asked = await fetch(`${server.url}/v1/approvals`, { headers: { authorization: `Bearer ${server.apiKey}` } });
    expect(await asked.json()).toMatchObject({ approvals: [] });
  });

  it('follow their files, and keep the last good value when they fail, over a restart too', async () => {
    writeStatic('Sky', saying('"blue"'));
    const first = await start();
    expect(await textOf(first, '{{Sky}}')).toBe('blue');
    writeStatic('Sky', 'echo no frame\n', { version: '1.1.0' });
    await first.plugins.reload();
    await expect
      .poll(() => logged.filter(({ event }) => event === 'placeholder.not-refreshed'), { timeout: 20_000 })
      .toMatchObject([{ fields: { toolName: 'Sky', errorCode: 'INVALID_TOOL_RESULT', hasValue: true } }]);
    expect(await textOf(first, '{{Sky}}')).toBe('blue');
    await first.close();
    servers = [];

    const second = await start();
    expect(await textOf(second, '{{Sky}}')).toBe('blue');
    await second.plugins.setEnabled('Sky', false, 'the test');
    expect(await textOf(second, '{{Sky}}')).toBe('{{Sky}}');
    writeStatic('Sky', saying('{"Sky":"grey"}'), { version: '1.2.0' });
    await second.plugins.setEnabled('Sky', true, 'the test');
    await second.plugins.reload();
    await expect.poll(() => textOf(second, '{{Sky}}'), { timeout: 20_000 }).toBe('grey');
  });

  it('are asked again as their cron says', async () => {
    const count = join(root, 'count');
    const script = `read -r frame\necho x >> ${count}\nn=$(wc -l < ${count} | tr -d ' ')\nprintf '%s\\n' "{\\"vcp\\":\\"tool-result\\",\\"version\\":\\"1.0\\",\\"payload\\":{\\"status\\":\\"success\\",\\"data\\":\\"asked $n\\"}}"\n`;
    writeStatic('Counter', script, { refreshCron: '* * * * * *' });
    const server = await start();
    expect(await textOf(server, '{{Counter}}')).toMatch(/^asked \d$/);
    await expect.poll(() => textOf(server, '{{Counter}}'), { timeout: 20_000 }).toMatch(/^asked ([2-9]|\d\d)$/);
  });

  it('that never end do not hold a request or the end of the server', async () => {
    writeStatic('Slow', 'sleep 600\n');
    const server = await start({ VCP_LIMIT_VARIABLE_MS: '200' });
    expect(await textOf(server, '{{Slow}}')).toBe('[Slow is not available now]');
  });
});

describe('message preprocessors on a server', () => {
  const SHOUT = `export const processMessages = (messages, { model }) =>
  messages.map((message) => ({ ...message, content: message.content.toUpperCase() + ' ' + model }));\n`;
  const failed = () => logged.filter(({ event }) => event === 'chat.preprocessor-failed').map(({ fields }) => fields);

  it('change the messages in the order that is set: modules and processes', async () => {
    const digest = writeModule('Shout', SHOUT);
    const reply = saying('{"messages":[{"role":"system","content":"from a process"}]}');
    write('plugins/Process/run.sh', reply);
    const more = { pluginType: 'messagePreprocessor', capabilities: {} };
    write(
      'plugins/Process/plugin-manifest.json',
      JSON.stringify(manifestOf({ name: 'Process', args: ['run.sh'], more })),
    );
    const server = await start({ VCP_TRUSTED_MODULES: digest, VCP_PREPROCESSORS: 'Process,Shout' });
    expect(await textOf(server, 'x')).toBe('FROM A PROCESS gpt-4o');
    expect(failed()).toEqual([]);
  });

  it('may be guests of the sandbox', async () => {
    const guest = answersWith({ messages: [{ role: 'system', content: 'from a guest' }] });
    const entryPoint = { type: 'wasm', file: 'plugin.wasm' };
    const more = { pluginType: 'messagePreprocessor', capabilities: {}, entryPoint };
    const manifest = manifestOf({ name: 'Guest', module: 'plugin.wasm', timeoutMs: 20_000, more });
    write('plugins/Guest/plugin-manifest.json', JSON.stringify(manifest));
    writeFileSync(join(root, 'plugins/Guest/plugin.wasm'), compileGuest(guest));
    const server = await start({ VCP_PREPROCESSORS: 'Guest' });
    expect(await textOf(server, 'x')).toBe('from a guest');
  });

  it('leave pictures in messages as they are', async () => {
    const digest = writeModule('Same', 'export const processMessages = async (messages) => messages;\n');
    const server = await start({ VCP_TRUSTED_MODULES: digest, VCP_PREPROCESSORS: 'Same' });
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }];
    const prepared = await server.requestProcessor.prepare(
      { model: 'm', messages: [{ role: 'user', content }] },
      chatContext,
    );
    expect(prepared).toMatchObject({ ok: true, messages: [{ role: 'user', content }], diagnostics: [] });
  });

  it.each([
    ['throw', "export const processMessages = () => { throw new Error('broken inside'); };", /broken inside/],
    ['hang', 'export const processMessages = () => new Promise(() => undefined);', /not done within 1000 ms/],
    ['give no messages', 'export const processMessages = () => [];', /its answer is not valid/],
    [
      'give messages without a role',
      "export const processMessages = () => [{ content: 'x' }];",
      /its answer is not valid/,
    ],
    ['give something else', 'export const processMessages = () => 5;', /its answer is not valid/],
    [
      'spoil what they were given and throw',
      "export const processMessages = (messages) => { messages[0].content = 'spoilt'; throw new Error('late'); };",
      /late/,
    ],
  ])('that %s are passed over, and told of', async (_, text, reason) => {
    const digest = writeModule('Bad', `${text}\n`);
    const server = await start({ VCP_TRUSTED_MODULES: digest, VCP_PREPROCESSORS: 'Bad' });
    const prepared = await prepare(server, 'as it was');
    expect(prepared).toEqual({
      ok: true,
      messages: [{ role: 'system', content: 'as it was' }],
      toolUse: 'allowed',
      diagnostics: [
        { code: 'PREPROCESSOR_FAILED', name: 'Bad', message: 'it failed; the messages went on as they were before it' },
      ],
    });
    expect(failed()).toMatchObject([{ toolName: 'Bad', required: false, reason: expect.stringMatching(reason) }]);
  });

  it('that are required end the request when they fail, and when they are not there', async () => {
    const digest = writeModule('Guard', "export const processMessages = () => { throw new Error('inner words'); };\n");
    const server = await start({
      VCP_TRUSTED_MODULES: digest,
      VCP_PREPROCESSORS: 'Guard',
      VCP_REQUIRED_PREPROCESSORS: 'Guard',
    });
    expect(await prepare(server, 'x')).toMatchObject({
      ok: false,
      code: 'PREPROCESSOR_FAILED',
      message: 'the message preprocessor Guard, which is required here, failed',
    });
    await server.plugins.setEnabled('Guard', false, 'the test');
    expect((await prepare(server, 'x')).ok).toBe(false);
  });

  it('without processMessages are told of with what is missing', async () => {
    const digest = writeModule('Old', 'export const processToolCall = () => ({});\n');
    const server = await start({ VCP_TRUSTED_MODULES: digest, VCP_PREPROCESSORS: 'Old,Nobody' });
    expect((await prepare(server, 'x')).ok).toBe(true);
    expect(failed()).toMatchObject([
      { toolName: 'Old', reason: "the plugin's module does not export processMessages(messages, context)" },
      { toolName: 'Nobody', reason: 'no message preprocessor of this name is served' },
    ]);
  });

  it('end with the request', async () => {
    const digest = writeModule('Hang', 'export const processMessages = () => new Promise(() => undefined);\n');
    const server = await start({ VCP_TRUSTED_MODULES: digest, VCP_PREPROCESSORS: 'Hang' });
    const controller = new AbortController();
    const preparing = server.requestProcessor.prepare(
      { model: 'm', messages: [{ role: 'user', content: 'x' }] },
      { ...chatContext, signal: controller.signal },
    );
    controller.abort(new Error('the client has gone'));
    await expect(preparing).rejects.toThrow('the client has gone');
  });
});
