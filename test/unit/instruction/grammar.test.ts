// The grammar of docs/instruction-protocol.md, case by case. The cases are data, so that others can hold theirs against it.
import { describe, expect, it } from 'vitest';
import type { BlockDisplay } from '../../../src/instruction/create-instruction-parser.ts';
import type { ReadInstruction } from '../../../src/instruction/instruction-call.ts';
import { readInstruction } from '../../../src/instruction/read-instruction.ts';
import type { KnownTool } from '../../../src/instruction/select-command.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import controls from '../../fixtures/instruction/controls.json' with { type: 'json' };
import display from '../../fixtures/instruction/display.json' with { type: 'json' };
import faults from '../../fixtures/instruction/faults.json' with { type: 'json' };
import fields from '../../fixtures/instruction/fields.json' with { type: 'json' };
import series from '../../fixtures/instruction/series.json' with { type: 'json' };
import text from '../../fixtures/instruction/text.json' with { type: 'json' };
import tools from '../../fixtures/instruction/tools.json' with { type: 'json' };
import values from '../../fixtures/instruction/values.json' with { type: 'json' };
import { eventsOf } from '../../support/instruction-texts.ts';

type Place = { code: string; field: string | null };
type GrammarCase = {
  rule: string;
  name: string;
  text: string;
  settings?: { display?: BlockDisplay; runFenced?: boolean; blockBytes?: number };
  /** What a reader sees. */
  visible: string;
  /** What each block is, in order: a call, or why there is none. */
  blocks: (
    | {
        call: {
          toolName: string;
          arguments?: unknown[];
          /** In place of `arguments` where a parser of JSON would lose a key. */
          argumentsJson?: string[];
          series?: true;
          /** Those that are not as they are by default. */
          controls?: Record<string, unknown>;
          warnings?: Place[];
        };
      }
    | { diagnostics: Place[] }
  )[];
};

const FILES = { controls, display, faults, fields, series, text, values } as unknown as Record<string, GrammarCase[]>;
const TOOLS = new Map(Object.entries(tools as unknown as Record<string, KnownTool>));
const DEFAULTS = { archery: null, markHistory: false, river: null, maid: null, timelyContact: null };

const placesOf = (items: readonly Place[]): Place[] => items.map(({ code, field }) => ({ code, field }));

/** What was read, in the form of the cases. */
const seen = (read: ReadInstruction) => {
  if (!read.ok) return { diagnostics: placesOf(read.diagnostics) };
  const { toolName, calls, seriesKey, controls: given, warnings } = read.call;
  return {
    toolName,
    argumentsJson: calls.map(({ arguments: args }) => JSON.stringify(args)),
    series: seriesKey !== null,
    controls: given,
    warnings: placesOf(warnings),
  };
};

const expected = (block: GrammarCase['blocks'][number]) => {
  if ('diagnostics' in block) return block;
  const { toolName, arguments: args = [], argumentsJson = args.map((item) => JSON.stringify(item)) } = block.call;
  return {
    toolName,
    argumentsJson,
    series: block.call.series ?? false,
    controls: { ...DEFAULTS, ...block.call.controls },
    warnings: block.call.warnings ?? [],
  };
};

describe.each(Object.entries(FILES))('the grammar of %s', (_, cases) => {
  it.each(cases.map((item) => [item.rule, item.name, item] as const))('%s: %s', (_rule, _name, item) => {
    const { blockBytes = 1_000_000, ...settings } = item.settings ?? {};
    for (const chunks of [[item.text], item.text.split('')]) {
      const events = eventsOf(chunks, { ...settings, limits: { instructionBlockBytes: blockBytes } });
      expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe(item.visible);
      const blocks = events.flatMap((event) => (event.type === 'block' ? [event.block] : []));
      const read = blocks.map((block) =>
        seen(readInstruction(block, { findTool: (name) => TOOLS.get(name) ?? null, limits: DEFAULT_LIMITS })),
      );
      expect(read).toEqual(item.blocks.map(expected));
    }
  });
});
