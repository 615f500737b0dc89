// How a text is cut makes no difference, and nobody loses a character of it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InstructionParserOptions } from '../../src/instruction/create-instruction-parser.ts';
import { cutAt, eventsOf, hostileText } from '../support/instruction-texts.ts';

const options: fc.Arbitrary<Partial<InstructionParserOptions>> = fc.record({
  display: fc.constantFrom('hidden', 'shown', 'summary'),
  runFenced: fc.boolean(),
  limits: fc.constantFrom(60, 200, 1_000_000).map((instructionBlockBytes) => ({ instructionBlockBytes })),
});
const lengths = fc.array(fc.nat(30), { maxLength: 60 });

describe('a text in pieces', () => {
  it('gives what it gives whole', () => {
    fc.assert(
      fc.property(hostileText, lengths, options, (text, cuts, settings) => {
        expect(eventsOf(cutAt(text, cuts), settings)).toEqual(eventsOf([text], settings));
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives what it gives whole when it comes unit by unit', () => {
    fc.assert(
      fc.property(hostileText, options, (text, settings) => {
        expect(eventsOf(text.split(''), settings)).toEqual(eventsOf([text], settings));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a reader', () => {
  it('sees the text itself where blocks are shown', () => {
    fc.assert(
      fc.property(hostileText, lengths, fc.boolean(), (text, cuts, runFenced) => {
        const events = eventsOf(cutAt(text, cuts), { display: 'shown', runFenced });
        expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('sees all but the blocks where they are hidden', () => {
    fc.assert(
      fc.property(hostileText, lengths, (text, cuts) => {
        const events = eventsOf(cutAt(text, cuts));
        const pieces = events.map((event) => (event.type === 'text' ? event.text : event.block.raw));
        const [whole, withoutLast] = [pieces.join(''), pieces.slice(0, -1).join('')];
        // A last block that was not closed is seen as text, and is the last event beside.
        expect([whole, withoutLast]).toContain(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
