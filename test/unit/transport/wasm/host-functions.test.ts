import { describe, expect, it } from 'vitest';
import { HOST_FUNCTIONS, type HostFunctionName } from '../../../../src/ports/wasm-sandbox.ts';
import { bytesOf, guestRuntime, told, type GuestStep } from '../../../support/guest-steps.ts';
import { callSample } from '../../../support/memory-runtime.ts';
import type { WasmRuntimeOptions } from '../../../support/wasm-runtime.ts';

describe('without a permission', () => {
  it.each([...HOST_FUNCTIONS])('%s is refused inside the guest, with what to add', async (name) => {
    const answer = await told({}, (host) => host(name, {}));
    expect(answer).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(JSON.stringify(answer)).toMatch(
      new RegExp(`${name} is not granted; add .* to .*permissions.* in plugin-manifest.json`),
    );
  });

  it('a host function refuses also when the sandbox did not ask first', async () => {
    const answer = await told({ log: true }, (_, { run }) =>
      run.host.call({ name: 'kv_get', request: '{"key":"a"}', bytes: null }, run.signal),
    );
    expect(answer).toMatchObject({ error: { code: 'FORBIDDEN' } });
  });

  it.each([
    ['read', 'resource_write'],
    ['write', 'resource_read'],
  ])('to %s resources does not give %s', async (permission, name) => {
    const answer = await told({ resources: [permission] }, (host) => host(name as HostFunctionName, {}));
    expect(answer).toMatchObject({ error: { code: 'FORBIDDEN' } });
  });
});

const ALL = {
  http: { allow: [{ host: '*' }] },
  kv: true,
  resources: ['read', 'write'],
  config: ['CITY'],
  log: true,
  progress: true,
};
const CONFIG = { configSchema: { type: 'object', properties: { CITY: {}, API_KEY: {}, OTHER: {} } } };

describe('a request that is none', () => {
  it.each<[HostFunctionName, unknown, string]>([
    ['log', 'not json', 'is not JSON'],
    ['log', '{"level":"info","message":"a","__proto__":{}}', 'never accepted'],
    ['log', { level: 'loud', message: 'a' }, '/level'],
    ['log', { level: 'info' }, '/message'],
    ['log', { level: 'info', message: 'a', more: 1 }, 'unknown field "more"'],
    ['progress', { progress: 'half' }, '/progress'],
    ['config_get', [], 'object'],
    ['kv_get', { key: '' }, '/key'],
    ['kv_get', { key: 'x'.repeat(513) }, '/key'],
    ['kv_set', { key: 'a' }, '/value'],
    ['kv_set', `{"key":"a","value":${'['.repeat(100)}${']'.repeat(100)}}`, 'deeper'],
    ['resource_read', { resourceId: 'a', offset: -1 }, '/offset'],
    ['resource_write', { fileName: 1 }, '/fileName'],
    ['resource_write', {}, 'without a block'],
    ['http_request', { url: 'https://a.example', headers: { a: 1 } }, '/headers/a'],
    ['http_request', {}, '/url'],
    ['http_request', { url: 'x'.repeat(3_000_000) }, 'longer than'],
  ])('of %s (%s) ends the run', async (name, request, message) => {
    const result = await callSample(guestRuntime(ALL, (host) => host(name, request), { fields: CONFIG }));
    expect(result.error).toMatchObject({ code: 'INTERNAL_ERROR', details: { fault: 'host-misuse' } });
    expect(result.error?.message).toContain(message);
  });

  it.each<[HostFunctionName, number, string]>([
    ['progress', 10_000, `{"stage":"a","more":[${'[],'.repeat(10_000)}[]]}`],
    ['kv_set', 100_000, `{"key":"a","value":[${'0,'.repeat(100_000)}0]}`],
  ])('of %s with more than %i values ends the run', async (name, most, request) => {
    const result = await callSample(guestRuntime(ALL, (host) => host(name, request), { fields: CONFIG }));
    expect(result.error?.message).toContain(`has more than ${most} values`);
  });

  it('is one with bytes where a function takes none', async () => {
    const result = await callSample(
      guestRuntime(ALL, (host) => host('kv_get', { key: 'a' }, bytesOf('x')), { fields: CONFIG }),
    );
    expect(result.error?.message).toContain('kv_get takes no bytes');
  });
});

describe('a guest that keeps the server busy', () => {
  const often =
    (times: number, step: GuestStep): GuestStep =>
    async (host, guest) => {
      for (let count = 0; count < times; count += 1) await step(host, guest);
    };
  const endOf = async (step: GuestStep, limits: WasmRuntimeOptions['limits']) =>
    (await callSample(guestRuntime(ALL, step, { fields: CONFIG, limits: limits ?? {} }))).error;

  it('ends after as many calls of host functions as there may be', async () => {
    const get: GuestStep = (host) => host('kv_get', { key: 'a' });
    expect(await endOf(often(5, get), { wasmHostCalls: 5 })).toBeNull();
    const end = await endOf(often(6, get), { wasmHostCalls: 5 });
    expect(end).toMatchObject({ details: { fault: 'host-misuse' } });
    expect(end?.message).toContain('host functions 5 times');
  });

  it('for values that it reads again and again counts what it is told, too', async () => {
    const steps =
      (times: number): GuestStep =>
      async (host) => {
        await host('kv_set', { key: 'a', value: 'x'.repeat(300) });
        for (let time = 0; time < times; time += 1) await host('kv_get', { key: 'a' });
      };
    expect(await endOf(steps(1), { wasmHostBytes: 1_000 })).toBeNull();
    expect(await endOf(steps(3), { wasmHostBytes: 1_000 })).toMatchObject({ details: { fault: 'host-misuse' } });
  });

  it('ends after as many bytes of requests as there may be, the same ones again included', async () => {
    const bytes = new Uint8Array(400);
    const write: GuestStep = (host) => host('resource_write', {}, bytes);
    expect(await endOf(often(2, write), { wasmHostBytes: 1_000 })).toBeNull();
    expect((await endOf(often(3, write), { wasmHostBytes: 1_000 }))?.message).toContain('1000 bytes together');
  });

  it('may log on: its lines are dropped', async () => {
    const log: GuestStep = (host) => host('log', { level: 'info', message: 'x'.repeat(100) });
    expect(await endOf(often(50, log), { wasmHostCalls: 5, wasmHostBytes: 1_000, wasmLogBytes: 300 })).toBeNull();
  });
});

describe('log', () => {
  const line = (message: string, level = 'info') => ({ level, message });

  it('writes events with the ids of the call, whatever the text is', async () => {
    const runtime = guestRuntime({ log: true }, async (host) => {
      await host('log', line('a {b} %s\n"quoted"', 'warning'));
      return await host('log', line('second', 'debug'));
    });
    const result = await callSample(runtime);
    expect(result.data).toEqual({ ok: null });
    const { invocationId, requestId } = result.execution;
    expect(runtime.pluginLog).toEqual([
      {
        level: 'warn',
        event: 'plugin.log',
        fields: { invocationId, requestId, toolName: 'Sample', message: 'a {b} %s\n"quoted"' },
      },
      {
        level: 'debug',
        event: 'plugin.log',
        fields: { invocationId, requestId, toolName: 'Sample', message: 'second' },
      },
    ]);
  });

  it('keeps what fits, drops the rest and says how much', async () => {
    const fields = { limits: { logBytes: 10 + 256 } };
    const runtime = guestRuntime(
      { log: true },
      async (host) => {
        await host('log', line('1234567'));
        await host('log', line('日本語'));
        await host('log', line('1'));
        await host('log', `{"level":"info","message":"${'x'.repeat(5_000)}"}`);
      },
      { fields },
    );
    const result = await callSample(runtime);
    expect(runtime.pluginLog.map((event) => event.fields['message'])).toEqual(['1234567']);
    expect(result.warnings).toMatchObject([{ code: 'LOG_TRUNCATED', details: { limit: 'logBytes', logBytes: 266 } }]);
    const [warning] = result.warnings;
    expect((warning?.details as { droppedBytes: number } | null)?.droppedBytes).toBeGreaterThanOrEqual(5_010);
  });

  it('keeps only so many empty lines', async () => {
    const runtime = guestRuntime(
      { log: true },
      async (host) => {
        for (let count = 0; count < 100; count += 1) await host('log', line(''));
      },
      { fields: { limits: { logBytes: 1_000 } } },
    );
    const result = await callSample(runtime);
    expect(runtime.pluginLog).toHaveLength(3);
    expect(result.warnings).toMatchObject([{ code: 'LOG_TRUNCATED' }]);
  });

  it('does not read a line that cannot fit', async () => {
    const runtime = guestRuntime({ log: true }, (host) => host('log', 'x'.repeat(30_000_000)));
    expect((await callSample(runtime)).warnings).toMatchObject([{ code: 'LOG_TRUNCATED' }]);
    expect(runtime.pluginLog).toEqual([]);
  });

  it('has no secrets of the configuration in it, nor what the server takes out of logs', async () => {
    const runtime = guestRuntime(
      { log: true, config: ['API_KEY', 'CITY'] },
      async (host) => {
        await host('config_get', { key: 'API_KEY' });
        await host('config_get', { key: 'CITY' });
        await host('log', line('sent hunter2secret for Wien, see /home/me'));
      },
      {
        fields: CONFIG,
        parts: {
          configurationOf: () => ({ API_KEY: 'hunter2secret', CITY: 'Wien' }),
          redact: (text) => text.replaceAll('/home/me', '[path]'),
        },
      },
    );
    await callSample(runtime);
    expect(runtime.pluginLog[0]?.fields['message']).toBe('sent [redacted: secret] for Wien, see [path]');
  });
});

describe('progress', () => {
  it('is the progress of the call', async () => {
    const runtime = guestRuntime({ progress: true }, (host) => host('progress', { stage: 'half', progress: 0.5 }));
    const result = await callSample(runtime);
    expect(result.data).toEqual({ ok: null });
    expect(runtime.events).toMatchObject([{ type: 'vcp_info', stage: 'half', progress: 0.5, message: null }]);
  });
});

describe('config_get', () => {
  const options = {
    fields: CONFIG,
    parts: { configurationOf: () => ({ CITY: 'Wien', API_KEY: 'secret' }) },
  };
  const get = (key: string, more: WasmRuntimeOptions = options, args: Record<string, unknown> = {}) =>
    told({ config: ['CITY', 'OTHER'] }, (host) => host('config_get', { key }), more, args);

  it('gives what is granted, null for what is not set, and nothing else', async () => {
    expect(await get('CITY')).toEqual({ ok: { value: 'Wien' } });
    expect(await get('OTHER')).toEqual({ ok: { value: null } });
    for (const key of ['API_KEY', 'PATH', 'toString']) {
      expect(await get(key)).toMatchObject({ error: { code: 'FORBIDDEN' } });
    }
  });

  it('lets a declared argument go before the configuration, and no other', async () => {
    const declared = { ...options, command: { inputSchema: { type: 'object', properties: { CITY: {} } } } };
    expect(await get('CITY', declared, { CITY: 'Graz' })).toEqual({ ok: { value: 'Graz' } });
    expect(await get('CITY', declared, { CITY: 7 })).toEqual({ ok: { value: '7' } });
    expect(await get('CITY', declared, {})).toEqual({ ok: { value: 'Wien' } });
    expect(await get('CITY', options, { CITY: 'Graz' })).toEqual({ ok: { value: 'Wien' } });
  });
});
