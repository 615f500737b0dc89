// Whatever a value holds, the block that carries it is read back as the same call.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InstructionControls } from '../../src/instruction/instruction-call.ts';
import { readInstruction } from '../../src/instruction/read-instruction.ts';
import { writeToolRequest, type WritableRequest } from '../../src/instruction/write-tool-request.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { InvocationCommand } from '../../src/protocol/manifest.ts';
import { cutAt, eventsOf, hostileText } from '../support/instruction-texts.ts';

const command = InvocationCommand.parse({
  commandIdentifier: 'Write',
  description: 'd',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      其他: { type: 'string' },
      'a.b-c_d': { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      fast: { type: 'boolean' },
      list: { type: 'array' },
      options: { type: 'object' },
      nothing: { type: 'null' },
      maid: { type: 'string' },
      command1: { type: 'string' },
    },
  },
  outputSchema: true,
});
const tool = { commandField: 'command', commands: [command] };

const readBack = (text: string, cuts: readonly number[] = []) => {
  const events = eventsOf(cutAt(text, cuts));
  const blocks = events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
  if (blocks.length !== 1 || events.length !== 1) throw new Error(`not one block: ${JSON.stringify(events)}`);
  const read = readInstruction(blocks[0] as (typeof blocks)[0], { findTool: () => tool, limits: DEFAULT_LIMITS });
  if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
  return read.call;
};
const written = (request: WritableRequest): string => {
  const result = writeToolRequest(request);
  if (!result.ok) throw new Error(result.message);
  return result.text;
};

const value = fc.oneof(
  hostileText,
  fc.string({ unit: 'binary' }),
  fc
    .tuple(
      fc.constantFrom('\n', '\r\n', '\r', ' \n ', '\n  '),
      hostileText,
      fc.constantFrom('\n', '\r\n', '\r', '\n\t'),
    )
    .map((parts) => parts.join('')),
);
// JSON has no minus zero, and a text cannot carry `__proto__` through the border for JSON.
const json = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: false })
  .map((item) => JSON.parse(JSON.stringify(item)) as unknown);
const isPlain = (item: unknown): boolean => !JSON.stringify(item).includes('__proto__');

const argumentsOfAll = fc.record(
  {
    text: value,
    其他: value,
    'a.b-c_d': value,
    maid: value,
    command1: value,
    count: fc.maxSafeInteger(),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
    fast: fc.boolean(),
    list: fc.array(json, { maxLength: 3 }).filter(isPlain),
    options: fc.dictionary(fc.string(), json, { maxKeys: 3 }).filter(isPlain),
    nothing: fc.constant(null),
    unknown: value,
    __proto__x: value,
  },
  { requiredKeys: [] },
);

const controls: fc.Arbitrary<InstructionControls> = fc.record({
  archery: fc.constantFrom('true' as const, 'no_reply' as const, null),
  markHistory: fc.boolean(),
  river: fc.constantFrom(
    { kind: 'full' as const },
    { kind: 'text' as const },
    { kind: 'last' as const, count: 7 },
    null,
  ),
  maid: fc.constant(null),
  timelyContact: fc.constantFrom('2026-12-24T18:00:00', '2026-12-24T18:00:00+08:00', '2026-12-24T18:00:00Z', null),
});

describe('a call that is written', () => {
  it('is read back as the same call, however its text is cut', () => {
    fc.assert(
      fc.property(argumentsOfAll, controls, fc.array(fc.nat(40)), (args, control, cuts) => {
        const call = readBack(
          written({ toolName: 'Writer', arguments: args as WritableRequest['arguments'], controls: control }),
          cuts,
        );
        expect([call.toolName, call.calls, call.controls, call.warnings]).toEqual([
          'Writer',
          [{ arguments: args }],
          control,
          [],
        ]);
      }),
      { numRuns: 1_000 },
    );
  });
});
