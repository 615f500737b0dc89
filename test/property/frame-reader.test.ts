import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { createFrameReader, type FrameFault } from '../../src/transport/stdio/frame-reader.ts';
import type { StdoutFrame } from '../../src/protocol/stdio-frame.ts';

// The same inputs in every run; a failure prints this seed and the path to its smallest counterexample.
fc.configureGlobal({ seed: 20_260_711 });

const LIMITS = { frameBytes: 400, jsonDepth: 6, jsonNodes: 100 };

const read = (chunks: readonly Uint8Array[]): { frames: StdoutFrame[]; fault: FrameFault | null } => {
  const reader = createFrameReader(LIMITS);
  const frames = chunks.flatMap((chunk) => reader.push(chunk));
  frames.push(...reader.end());
  return { frames, fault: reader.fault };
};

const cutAt = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
};

const payload = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' });
const frameLine = payload.map((value) => JSON.stringify({ vcp: 'tool-result', version: '1.0', payload: value }));
const progressLine = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map((progress) => JSON.stringify({ vcp: 'progress', version: '1.0', payload: { progress } }));
const noiseLine = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constant('x'.repeat(500)),
  fc.constant('月'.repeat(200)),
  fc.constant('[['.repeat(20)),
);
const line = fc.oneof(
  { weight: 6, arbitrary: frameLine },
  { weight: 3, arbitrary: progressLine },
  { weight: 1, arbitrary: noiseLine },
);

const output = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 6 }),
    fc.boolean(),
    fc.option(fc.uint8Array({ maxLength: 4 }), { nil: new Uint8Array(), freq: 5 }),
  )
  .map(([mark, lines, cutLast, raw]) => {
    const text = (mark ? '\uFEFF' : '') + lines.map(([content, end]) => content + end).join('');
    const bytes = new TextEncoder().encode(cutLast ? text.trimEnd() : text);
    return Uint8Array.from([...bytes, ...raw]);
  });

const places = fc.array(fc.nat({ max: 100_000 }), { maxLength: 12 });

describe('the frame reader', () => {
  it('gives the same frames and faults wherever its input is cut', () => {
    fc.assert(
      fc.property(output, places, (bytes, cuts) => {
        const whole = read([bytes]);
        const pieces = read(cutAt(bytes, cuts));
        return JSON.stringify(pieces) === JSON.stringify(whole);
      }),
      { numRuns: 400 },
    );
  });

  it('gives the same byte by byte', () => {
    fc.assert(
      fc.property(
        output,
        (bytes) =>
          JSON.stringify(read([...bytes].map((byte) => Uint8Array.of(byte)))) === JSON.stringify(read([bytes])),
      ),
      { numRuns: 150 },
    );
  });

  it('gives every payload back that fits its limits', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }), { maxLength: 5 }), (values) => {
        const lines = values.map((value) => JSON.stringify({ vcp: 'tool-result', version: '1.0', payload: value }));
        fc.pre(lines.every((text) => new TextEncoder().encode(text).length <= 400 && !text.includes('"__proto__"')));
        const { frames, fault } = read([new TextEncoder().encode(`${lines.join('\n')}\n`)]);
        // JSON has no negative zero.
        return fault === null && JSON.stringify(frames.map((frame) => frame.payload)) === JSON.stringify(values);
      }),
      { numRuns: 200 },
    );
  });
});
