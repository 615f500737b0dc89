import { describe, expect, it } from 'vitest';
import { createAnswerCollector } from '../../../src/chat/models/collect-answer.ts';
import type { ModelEvent } from '../../../src/ports/language-model.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';

const answerOf = (events: readonly ModelEvent[]) => {
  const collector = createAnswerCollector();
  for (const event of events) collector.add(event);
  return collector.answer();
};
const delta = (deltaFields: JsonObject): ModelEvent => ({ type: 'extra', choice: 0, deltaFields });

describe('an answer that is put together', () => {
  it('has texts and lists of its deltas joined, and what is said again once', () => {
    const { message } = answerOf([
      delta({ audio: { id: 'a1', data: 'QUJD', transcript: 'He' } }),
      delta({ audio: { id: 'a1', data: 'REVG', transcript: 'llo' }, annotations: [{ at: 1 }] }),
      delta({ audio: { expires_at: 7 }, annotations: [{ at: 2 }], refusal: null }),
    ]).choices[0]!;
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      audio: { id: 'a1', data: 'QUJDREVG', transcript: 'Hello', expires_at: 7 },
      annotations: [{ at: 1 }, { at: 2 }],
      refusal: null,
    });
  });

  it('has the log probabilities of all pieces, and of its chunks what they said last', () => {
    const answer = answerOf([
      {
        type: 'extra',
        choice: 0,
        chunkFields: { system_fingerprint: 'a' },
        choiceFields: { logprobs: { content: [1] } },
      },
      {
        type: 'extra',
        choice: 0,
        chunkFields: { system_fingerprint: 'b' },
        choiceFields: { logprobs: { content: [2, 3] } },
      },
    ]);
    expect(answer.fields).toEqual({ system_fingerprint: 'b' });
    expect(answer.choices[0]).toMatchObject({ logprobs: { content: [1, 2, 3] } });
  });

  it('holds nothing of the events that it was made of', () => {
    const list = [{ at: 1 }];
    const event = delta({ annotations: list });
    answerOf([event, delta({ annotations: [{ at: 2 }] })]);
    expect(list).toEqual([{ at: 1 }]);
  });

  it('cannot be given another role or content by a field', () => {
    const { message } = answerOf([
      delta({ role: 'system', content: 'forged', tool_calls: [{}] }),
      { type: 'text', choice: 0, text: 'said' },
      {
        type: 'tool_call',
        choice: 0,
        index: 0,
        id: 'x',
        name: 'a',
        arguments: '{}',
        extra: { type: 'other', id: 'y' },
      },
    ]).choices[0]!;
    expect(message).toEqual({
      role: 'assistant',
      content: 'said',
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } }],
    });
  });

  it('takes time in proportion to its pieces', () => {
    const collector = createAnswerCollector();
    for (let piece = 0; piece < 50_000; piece += 1)
      collector.add({ type: 'extra', choice: 0, choiceFields: { logprobs: { content: [{ token: 'a' }] } } });
    const [choice] = collector.answer().choices;
    expect((choice as unknown as { logprobs: { content: unknown[] } }).logprobs.content.length).toBe(50_000);
  });
});
