import { describe, expect, it } from 'vitest';
import { createReplyTeller } from '../../../src/chat/tell-reply.ts';
import type { EventAddress, NewEvent } from '../../../src/ports/event-sink.ts';
import { block, createChatApp, modelOf, say } from '../../support/chat-app.ts';
import { success } from '../../support/memory-runtime.ts';

type Told = NewEvent & EventAddress;

const repliesIn = (emitted: readonly Told[]) =>
  emitted.flatMap((event) => (event.type === 'ai_message' ? [{ ...event.data, audience: event.audience }] : []));

describe('what a model says', () => {
  const turns = [{ answer: [{ text: `Let me look.\n${block({ n: '1' })}` }] }, { answer: [{ text: 'It is one.' }] }];

  it.each([true, false])(
    'is told to the other clients of its caller, once it is whole (stream: %s)',
    async (stream) => {
      const app = createChatApp(turns, { answer: () => success({ n: 1 }) });
      await (await app.chat({ stream })).text();
      expect(repliesIn(app.emitted)).toEqual([
        {
          model: 'm',
          sessionId: null,
          text: 'Let me look.\n\nIt is one.',
          isLast: true,
          audience: { to: 'owner', owner: 'alice' },
        },
      ]);
    },
  );

  it.each([true, false])('without tools is told too (stream: %s)', async (stream) => {
    const app = createChatApp([{ answer: [{ text: 'Hello.' }] }]);
    await (await app.chat({ stream, vcp: { toolUse: 'off' } })).text();
    expect(repliesIn(app.emitted)).toMatchObject([{ text: 'Hello.', isLast: true }]);
  });

  it('is told as far as it came when the model fails', async () => {
    const model = modelOf(function* () {
      yield say('The beginning');
      throw new Error('gone');
    });
    const app = createChatApp(model);
    await (await app.chat({ stream: true })).text();
    expect(repliesIn(app.emitted)).toMatchObject([{ text: 'The beginning', isLast: true }]);
  });
});

describe('a long reply', () => {
  const told: Told[] = [];
  const teller = () => {
    told.length = 0;
    const sink = { emit: (event: NewEvent, address: EventAddress) => void told.push({ ...event, ...address }) };
    return createReplyTeller(sink, { owner: 'alice', requestId: 'req_01J00000000000000000000000', model: 'm' });
  };
  const words = Array.from({ length: 3_000 }, (_, index) => `word${index} `).join('');

  it.each([
    ['in small pieces', words.match(/[\s\S]{1,7}/g) ?? []],
    ['at once', [words]],
    ['without a blank, of characters of two units', ['🦊'.repeat(9_001)]],
    ['that begins with one unit', [`x${'🦊'.repeat(9_001)}`]],
  ])('%s comes in parts that joined are the reply', (_, pieces) => {
    const reply = teller();
    for (const piece of pieces) reply.add(piece);
    reply.end();
    reply.end();
    const parts = repliesIn(told);
    expect(parts.map(({ text }) => text).join('')).toBe(pieces.join(''));
    expect(parts.map(({ isLast }) => isLast)).toEqual([...parts.slice(1).map(() => false), true]);
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.every(({ text }) => text.length <= 4_000 && text.isWellFormed())).toBe(true);
    expect(words.startsWith(parts[0]!.text) ? parts[0]!.text.endsWith(' ') : true).toBe(true);
  });
});
