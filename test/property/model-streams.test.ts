import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import anthropicThinking from '../fixtures/model-streams/anthropic/thinking.txt?raw';
import anthropicTools from '../fixtures/model-streams/anthropic/tool-use.txt?raw';
import geminiCall from '../fixtures/model-streams/gemini/function-call.txt?raw';
import geminiText from '../fixtures/model-streams/gemini/text.txt?raw';
import openAiComments from '../fixtures/model-streams/openai/comments.txt?raw';
import openAiText from '../fixtures/model-streams/openai/text.txt?raw';
import { asking, eventStream, eventsOf, upstreamOf } from '../support/upstream.ts';

const streams = [
  ['openai', openAiText],
  ['openai', openAiComments],
  ['anthropic', anthropicTools],
  ['anthropic', anthropicThinking],
  ['gemini', geminiText],
  ['gemini', geminiCall],
] as const;

const told = (kind: (typeof streams)[number][0], body: Response) =>
  eventsOf(upstreamOf(kind, [body], { limits: { upstreamAttempts: 1 } }).model, asking());

/** The bytes, cut at these places. */
const cutAt = (text: string, places: readonly number[]): Response => {
  const bytes = new TextEncoder().encode(text);
  const cuts = [...new Set(places.map((place) => place % bytes.length))].toSorted((left, right) => left - right);
  const pieces = [0, ...cuts].map((from, index) => bytes.slice(from, cuts[index] ?? bytes.length));
  return new Response(
    new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    }),
  );
};

describe('the stream of an upstream', () => {
  it('tells the same however its bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...streams),
        fc.array(fc.nat(10_000), { maxLength: 30 }),
        async ([kind, text], places) => {
          expect(await told(kind, cutAt(text, places))).toEqual(await told(kind, eventStream(text)));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('that is cut off anywhere tells a beginning of it, and that it was cut off unless nothing is missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...streams), fc.nat(10_000), async ([kind, text], place) => {
        const bytes = new TextEncoder().encode(text);
        const { events: all } = await told(kind, eventStream(text));
        const { events, error } = await told(kind, new Response(bytes.slice(0, place % bytes.length)));
        if (error === null) expect(events.some(({ type }) => type === 'finish')).toBe(true);
        else expect(error.code).toBe('UPSTREAM_CUT_OFF');
        const said = events.filter(({ type }) => type !== 'usage');
        expect(all.slice(0, said.length)).toEqual(said);
      }),
      { numRuns: 300 },
    );
  });

  it('never brings anything but events and an upstream error, whatever it is', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'data: [DONE]',
        'data: {}',
        'event: error',
        ': x',
        '',
        'data: {"error":{}}',
        'data: {"type":"message_stop"}',
      ),
      fc.json().map((json) => `data: ${json}`),
      fc
        .record({
          choices: fc.array(fc.record({ index: fc.anything(), delta: fc.anything(), finish_reason: fc.anything() })),
          candidates: fc.array(fc.record({ content: fc.anything(), finishReason: fc.anything() })),
          type: fc.constantFrom(
            'content_block_start',
            'content_block_delta',
            'content_block_stop',
            'message_delta',
            'message',
          ),
          content_block: fc.record({ type: fc.constantFrom('text', 'tool_use', 'thinking'), text: fc.anything() }),
          delta: fc.record({ type: fc.constantFrom('text_delta', 'input_json_delta'), text: fc.anything() }),
          usage: fc.anything(),
        })
        .map((body) => `data: ${JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? 1 : value))}`),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('openai', 'anthropic', 'gemini'),
        fc.array(line, { maxLength: 12 }),
        async (kind, lines) => {
          const { events } = await told(kind as 'openai', eventStream(lines.map((text) => `${text}\n\n`).join('')));
          for (const event of events) if (event.type === 'text') expect(typeof event.text).toBe('string');
        },
      ),
      { numRuns: 500 },
    );
  });
});
