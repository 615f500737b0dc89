import { describe, expect, it } from 'vitest';
import { createScriptedModel } from '../../../src/chat/models/scripted.ts';
import { readModelScript } from '../../../src/chat/models/scripted/read-script.ts';
import { withRetries } from '../../../src/chat/models/with-retries.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { asking, eventsOf, faultOf, never } from '../../support/upstream.ts';

const scriptOf = (turns: unknown, fields: object = {}) => {
  const read = readModelScript(JSON.stringify({ turns, ...fields }));
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.script;
};
const modelOf = (turns: unknown, fields: object = {}) => {
  const waits: number[] = [];
  const sleep = async (ms: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    waits.push(ms);
  };
  return { model: createScriptedModel({ script: scriptOf(turns, fields), pause: { sleep } }), waits };
};
const saying = (content: unknown, role = 'user') => asking({ messages: [{ role, content }] });

describe('a scripted model', () => {
  it('says a text in pieces, after the delays of the script', async () => {
    const { model, waits } = modelOf([
      { answer: [{ reasoning: 'hm' }, { text: 'Good day to you', pieces: 'words', delayMs: 20 }] },
    ]);
    expect((await eventsOf(model, saying('Hello'))).events).toEqual([
      { type: 'start', id: 'scripted-1', model: 'm' },
      { type: 'reasoning', choice: 0, text: 'hm' },
      { type: 'text', choice: 0, text: 'Good' },
      { type: 'text', choice: 0, text: ' day' },
      { type: 'text', choice: 0, text: ' to' },
      { type: 'text', choice: 0, text: ' you' },
      { type: 'finish', choice: 0, reason: 'stop', native: null },
      { type: 'usage', usage: { prompt_tokens: 2, completion_tokens: 5, total_tokens: 7 } },
    ]);
    expect(waits).toEqual([20, 20, 20, 20]);
  });

  it('cuts a text into so many pieces, and no character in two', async () => {
    const { model } = modelOf([{ answer: [{ text: '🌦️北京ab', pieces: 4 }] }]);
    const { events } = await eventsOf(model);
    expect(events.filter(({ type }) => type === 'text').map((event) => (event as { text: string }).text)).toEqual([
      '🌦️',
      '北京',
      'ab',
    ]);
  });

  it('takes turns without a condition in their order, each once', async () => {
    const { model } = modelOf([{ answer: [{ text: 'one' }] }, { answer: [{ text: 'two' }], times: 2 }]);
    const say = async () => (await model.complete(asking(), { signal: never })).choices[0]!.message.content;
    expect([await say(), await say(), await say()]).toEqual(['one', 'two', 'two']);
    expect(await faultOf(say())).toMatchObject({ code: 'UPSTREAM_REFUSED', pointer: '/messages/0' });
  });

  it('chooses by the last message', async () => {
    const { model } = modelOf([
      { when: { role: 'tool', contains: 'rain' }, answer: [{ text: 'Take an umbrella.' }] },
      { when: { equals: 'Hello' }, answer: [{ text: 'Hi.' }] },
      { when: { contains: 'WEATHER' }, answer: [{ toolCall: { name: 'get_weather', arguments: { city: 'Paris' } } }] },
    ]);
    const message = async (content: unknown, role?: string) =>
      (await model.complete(saying(content, role), { signal: never })).choices[0]!;
    expect((await message(' Hello\n')).message.content).toBe('Hi.');
    expect((await message([{ type: 'text', text: 'Heavy rain' }], 'tool')).message.content).toBe('Take an umbrella.');
    expect(await message('How is the weather?')).toEqual({
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call-scripted-3-0',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          },
        ],
      },
    });
    expect(await faultOf(message('Heavy rain'))).toMatchObject({ code: 'UPSTREAM_REFUSED' });
  });

  it('fails where the script says so, and can be asked again', async () => {
    const error = { code: 'UPSTREAM_OVERLOADED', message: 'busy', status: 529, retryAfterMs: 40, isRetryable: true };
    const { model, waits } = modelOf([{ answer: [{ error }] }, { answer: [{ text: 'one' }, { error }] }]);
    const pause = { random: () => 0, sleep: async (ms: number) => void waits.push(ms) };
    const patient = withRetries(model, { pause, clock: { now: () => 0, monotonic: () => 0 }, limits: DEFAULT_LIMITS });
    const { events, error: fault } = await eventsOf(patient);
    expect(events.map(({ type }) => type)).toEqual(['start', 'text']);
    expect(fault).toMatchObject({ code: 'UPSTREAM_OVERLOADED', status: 529, retryAfterMs: 40 });
    expect(waits).toEqual([40]);
  });

  it('stops where its caller gives up', async () => {
    const caller = new AbortController();
    const { model } = modelOf([{ answer: [{ text: 'a b c', pieces: 'words' }] }]);
    const heard: string[] = [];
    const work = (async () => {
      for await (const event of model.stream(asking(), { signal: caller.signal })) {
        if (event.type !== 'text') continue;
        heard.push(event.text);
        caller.abort(new Error('enough'));
      }
    })();
    await expect(work).rejects.toThrow('enough');
    expect(heard).toEqual(['a']);
  });

  it('is offered under its name', async () => {
    const { model } = modelOf([{ answer: [{ text: 'x' }] }], { model: 'demo' });
    expect(await model.listModels({ signal: never })).toEqual([{ id: 'demo', created: null, ownedBy: 'script' }]);
  });
});

describe('a script', () => {
  it.each([
    ['{"turns":[]}', '/turns'],
    ['{"turns":[{"answer":[]}]}', '/turns/0/answer'],
    ['{"turns":[{"answer":[{"text":"a","piece":3}]}]}', '/turns/0/answer/0/piece'],
    ['{"turns":[{"when":{"matches":".*"},"answer":[{"text":"a"}]}]}', '/turns/0/when/matches'],
    ['{"turns":', ''],
  ])('%s is refused with the place of its fault', (text, pointer) => {
    const read = readModelScript(text);
    expect(read.ok ? [] : read.issues.map((issue) => issue.pointer)).toContain(pointer);
  });
});
