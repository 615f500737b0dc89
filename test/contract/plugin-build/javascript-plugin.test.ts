import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPlugin, runningPlugin, type RunningPlugin } from '../../support/javascript-plugin.ts';

const SOURCE = `
import { config, http, kv, log, plugin, PluginError, progress, resources } from 'vcp-plugin';
import { deep } from './deep.ts';

let count = 0;

export default plugin({
  Echo: ({ text }: { text: string }, call) => ({ data: { text, command: call.command } }),
  Later: async ({ text }: { text: string }) => {
    await Promise.resolve();
    return { data: { text: await new Promise<string>((done) => done(text)) } };
  },
  Never: () => new Promise<never>(() => undefined),
  Expected: () => {
    throw new PluginError('DEMO.NO', 'not today', { target: 'day', details: { day: 1 }, retryable: true, cause: new RangeError('over') });
  },
  Bug: ({ text }: { text: string }) => deep(text),
  Recurse: () => {
    const down = (n: number): number => down(n + 1) + 1;
    return { data: down(0) };
  },
  Loop: () => {
    for (;;);
  },
  Eat: () => {
    const eaten: unknown[] = [];
    for (;;) eaten.push(new Uint8Array(1_000_000));
  },
  Count: () => ({ data: (count += 1) }),
  Time: (_: unknown, call) => ({ data: { now: Date.now(), date: new Date(), call: call.now, zone: call.timeZone, deadline: call.deadline } }),
  Random: () => ({ data: [Math.random(), Math.random(), Math.random()] }),
  Bytes: ({ text }: { text: string }) => {
    const bytes = new TextEncoder().encode(text);
    return { data: { bytes: [...bytes], text: new TextDecoder().decode(bytes), url: new URL('../x?q=ä', 'https://a.example/b/c').href } };
  },
  Strange: () => ({ data: { list: [1, undefined] } }),
  Nothing: () => undefined as never,
  Bare: () => ({ words: 1, letters: 2 }) as never,
  Absent: () => ({ data: fetch('https://a.example/') }),
  Deep: () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    return { data: deep };
  },
  Evil: () => ({ data: { toJSON: () => { throw { toString: () => { throw 1; } }; } } }),
  Ask: () => {
    log.warning('careful – 注意');
    console.log('seen', { a: [1] });
    progress({ stage: 'half', progress: 0.5 });
    kv.set('k', { n: 1 });
    const kept = kv.get('k');
    const key = config.get('KEY');
    const answer = http.request({ url: 'https://a.example/', method: 'POST', headers: { 'x-a': '1' }, body: 'grüße' });
    const id = resources.write('text', { fileName: 'a.txt', mimeType: 'text/plain' });
    const read = resources.read(id, { offset: 1, length: 2 });
    return { data: { kept, key, status: answer.status, body: answer.text(), json: answer.json(), id, read: [...read.bytes], size: read.size } };
  },
  Fetch: () => ({ data: http.get('https://a.example/').status }),
});
`;

const DEEP = `type Thing = { length: number };

export function deep(text: string): never {
  const nothing = null as unknown as Thing;
  throw new TypeError(\`cannot use \${text} of \${nothing?.length}\`);
}
`;

let running: RunningPlugin;
beforeAll(async () => {
  running = await runningPlugin(await builtPlugin({ 'src/index.ts': SOURCE, 'src/deep.ts': DEEP }));
});
afterAll(() => running.close());

describe('a plugin in TypeScript', () => {
  it('answers any text as it is', async () => {
    const text = '«ß 漢字 🎉\u0000\n"\\';
    expect((await running.call('Echo', { args: { text } })).payload).toEqual({
      status: 'success',
      data: { text, command: 'Echo' },
    });
  });

  it('refuses a text that is no Unicode, by name', async () => {
    const { payload } = await running.call('Echo', { args: { text: '\uD83C' } });
    expect(payload.error).toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      message: "the plugin's result at /data/text holds a lone surrogate, which is not valid Unicode text",
    });
  });

  it('may answer later, and gets a clear word when it never does', async () => {
    expect((await running.call('Later', { args: { text: 'then' } })).payload.data).toEqual({ text: 'then' });
    const { outcome } = await running.call('Never');
    expect(outcome).toMatchObject({
      type: 'fault',
      fault: 'guest-error',
      message: 'the handler returned a promise that nothing settles: there are no timers and no events in the sandbox',
    });
  });

  it('throws what it expects as the error of the result', async () => {
    expect((await running.call('Expected')).payload).toEqual({
      status: 'error',
      data: null,
      error: {
        code: 'DEMO.NO',
        message: 'not today',
        target: 'day',
        details: { day: 1 },
        retryable: true,
        cause: { code: 'RangeError', message: 'over' },
      },
    });
  });

  it("names the author's file and line of a bug, and logs the stack", async () => {
    const { payload, calls } = await running.call('Bug', { args: { text: 'that' } });
    expect(payload.error).toEqual({
      code: 'INTERNAL_ERROR',
      message: 'the plugin failed: cannot use that of undefined',
      details: { thrown: 'TypeError', at: 'deep (src/deep.ts:5)' },
    });
    const [logged] = calls;
    expect(logged?.name).toBe('log');
    expect(JSON.parse(logged?.request ?? '').message).toMatch(
      /at deep \(src\/deep\.ts:5\)\n\s+at Bug \(src\/index\.ts:17\)/,
    );
  });

  it('knows its commands', async () => {
    const { payload } = await running.call('Fly');
    expect(payload.error).toMatchObject({ code: 'UNKNOWN_COMMAND', target: 'command' });
  });

  it.each([
    ['Strange', "the plugin's result at /data/list/1 is undefined, which JSON cannot carry"],
    [
      'Nothing',
      'the handler of "Nothing" returned a value of type undefined; it has to return an object such as { data: … }',
    ],
    [
      'Bare',
      'the handler of "Bare" returned an object without data (it has: words, letters); ' +
        'put the facts under it: return { data: … }, null when there are none',
    ],
  ])('says what is wrong with the result of %s', async (command, message) => {
    expect((await running.call(command)).payload.error).toMatchObject({ code: 'INVALID_TOOL_RESULT', message });
  });

  it('says what stands in the place of a global that is not there', async () => {
    expect((await running.call('Absent')).payload.error.message).toMatch(
      /^the plugin failed: '?fetch'? is not defined \(there is no fetch; use http\.get or http\.request of 'vcp-plugin', with permissions\.http in the manifest\)$/,
    );
  });

  it.each([
    ['Evil', 'the plugin failed: without a message'],
    ['Deep', 'the plugin failed: Maximum call stack size exceeded'],
  ])('answers even when the result of %s cannot be looked at', async (command, message) => {
    expect((await running.call(command)).payload.error).toMatchObject({ code: 'INTERNAL_ERROR', message });
  });

  it('keeps nothing from one call to the next', async () => {
    const counts = [await running.call('Count'), await running.call('Count')];
    expect(counts.map(({ payload }) => payload.data)).toEqual([1, 1]);
  });

  it('sees the time of the call', async () => {
    const context = { now: '2027-03-01T08:30:00.250Z', deadline: '2027-03-01T08:30:10.000Z' };
    expect((await running.call('Time', { context })).payload.data).toEqual({
      now: 1_803_889_800_250,
      date: '2027-03-01T08:30:00.250Z',
      call: '2027-03-01T08:30:00.250Z',
      zone: 'Asia/Shanghai',
      deadline: '2027-03-01T08:30:10.000Z',
    });
  });

  it('draws other random numbers for another seed, and the same for the same', async () => {
    const drawn = async (seed: number) =>
      (await running.call('Random', { context: { seed } })).payload.data as number[];
    const [one, again, other] = [await drawn(1), await drawn(1), await drawn(2)];
    expect(one).toEqual(again);
    expect(new Set([...one, ...other]).size).toBe(6);
    expect([...one, ...other].every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('has the coding of texts and addresses', async () => {
    expect((await running.call('Bytes', { args: { text: '€a' } })).payload.data).toEqual({
      bytes: [0xe2, 0x82, 0xac, 0x61],
      text: '€a',
      url: 'https://a.example/x?q=%C3%A4',
    });
  });
});

describe('the limits of the sandbox', () => {
  it('ends a loop by fuel', async () => {
    const { outcome } = await running.call('Loop', { fuel: 50_000_000 });
    expect(outcome).toMatchObject({ type: 'fault', fault: 'out-of-fuel' });
  });

  it('ends a plugin that takes all memory', async () => {
    expect((await running.call('Eat')).outcome).toMatchObject({ type: 'fault', fault: 'out-of-memory' });
  });

  it('lets deep recursion be an error with a line', async () => {
    expect((await running.call('Recurse')).payload.error).toEqual({
      code: 'INTERNAL_ERROR',
      message: 'the plugin failed: Maximum call stack size exceeded',
      details: { thrown: 'RangeError', at: 'down (src/index.ts:19)' },
    });
  });
});

describe('host functions', () => {
  it('are asked and answered with texts and bytes', async () => {
    const { payload, calls } = await running.call('Ask', {
      answer: ({ name }) => {
        if (name === 'kv_get') return { ok: { value: { n: 1 } } };
        if (name === 'config_get') return { ok: { value: 'secret' } };
        if (name === 'resource_write') return { ok: { resourceId: 'res_1' } };
        if (name === 'resource_read') {
          const ok = { size: 4, mimeType: 'text/plain', fileName: 'a.txt', offset: 1 };
          return { ok, bytes: Uint8Array.of(0, 255) };
        }
        if (name === 'http_request') {
          const ok = { status: 201, url: 'https://a.example/', headers: {} };
          return { ok, bytes: new TextEncoder().encode('{"größe":1}') };
        }
        return { ok: null };
      },
    });
    expect(payload.data).toEqual({
      kept: { n: 1 },
      key: 'secret',
      status: 201,
      body: '{"größe":1}',
      json: { größe: 1 },
      id: 'res_1',
      read: [0, 255],
      size: 4,
    });
    const bytesOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes));
    expect(calls.map(({ name, request, bytes }) => [name, JSON.parse(request), bytesOf(bytes)])).toEqual([
      ['log', { level: 'warning', message: 'careful – 注意' }, null],
      ['log', { level: 'info', message: 'seen {"a":[1]}' }, null],
      ['progress', { stage: 'half', progress: 0.5 }, null],
      ['kv_set', { key: 'k', value: { n: 1 } }, null],
      ['kv_get', { key: 'k' }, null],
      ['config_get', { key: 'KEY' }, null],
      ['http_request', { url: 'https://a.example/', method: 'POST', headers: { 'x-a': '1' } }, 'grüße'],
      ['resource_write', { fileName: 'a.txt', mimeType: 'text/plain' }, 'text'],
      ['resource_read', { resourceId: 'res_1', offset: 1, length: 2 }, null],
    ]);
  });

  it.each([
    ['FORBIDDEN', 'FORBIDDEN'],
    ['UNKNOWN_HOST', 'HOST.UNKNOWN_HOST'],
  ])('fail with an error that the result can carry: %s', async (code, expected) => {
    const { payload } = await running.call('Fetch', { answer: () => ({ error: { code, message: 'no' } }) });
    expect(payload.error).toMatchObject({ code: expected, message: 'no' });
  });

  it('do no harm where they are a courtesy and not granted', async () => {
    const refused = { error: { code: 'FORBIDDEN', message: 'not granted' } };
    const { payload } = await running.call('Bug', { args: { text: 'x' }, answer: () => refused });
    expect(payload.error.code).toBe('INTERNAL_ERROR');
  });
});
