import type { NotingCensor } from '../../../lib/censor.ts';
import { sampleJson, type Omission } from '../../../lib/sample-json.ts';
import type { Redaction } from '../../../protocol/canonical-tool-result.ts';
import type { JsonValue } from '../../../protocol/json.ts';
import { serialise, type RootContent } from '../markdown.ts';
import type { CutsByPointer } from '../renderers/render-value.ts';

/** A part of the text, and what of its subject is not in it. */
export type Section = {
  readonly text: string;
  readonly omissions: readonly Omission[];
  readonly redactions: readonly Redaction[];
};

export const NO_SECTION: Section = { text: '', omissions: [], redactions: [] };

/** Levels of nesting that a model is shown. */
const DEPTH = 12;

/** Takes samples for one section, and keeps the account of what they left out. */
export type Sampler = {
  /** About `budget` characters of a value, as its reader may see it. */
  take(value: JsonValue, budget: number, path: readonly PropertyKey[]): JsonValue;
  readonly censor: NotingCensor;
  readonly omissions: Omission[];
  cuts(): CutsByPointer;
  /** The section with these blocks as its text. */
  section(blocks: readonly RootContent[]): Section;
};

export const createSampler = (censor: NotingCensor): Sampler => {
  const omissions: Omission[] = [];
  return {
    censor,
    omissions,
    take: (value, budget, path) => {
      const sample = sampleJson(value, { budget: Math.max(0, Math.floor(budget)), depth: DEPTH, path, censor });
      omissions.push(...sample.omissions);
      return sample.value;
    },
    cuts: () => new Map(omissions.map((omission) => [omission.pointer, omission])),
    section: (blocks) => ({
      text: blocks.length === 0 ? '' : serialise(blocks).trimEnd(),
      omissions,
      redactions: censor.redactions,
    }),
  };
};

/** Tries to fit a section: escaping and layout can only be estimated before they are done. */
const ATTEMPTS = 5;

/**
 * The section made for as much as there is room for; null when even its least is longer. `first` is a budget to begin
 * with, where an earlier try tells one.
 */
export const fitted = <T extends Section>(room: number, make: (budget: number) => T, first = room): T | null => {
  let budget = Math.floor(Math.min(room, first));
  for (let attempt = 0; attempt < ATTEMPTS && budget >= 0; attempt += 1) {
    const section = make(budget);
    if (section.text.length <= room) return section;
    budget = Math.floor((budget * room) / section.text.length) - 60;
  }
  const least = make(0);
  return least.text.length <= room ? least : null;
};
