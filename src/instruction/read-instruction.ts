import type { Limits } from '../lib/limits.ts';
import { coerceArguments } from './coerce-arguments.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { ReadInstruction } from './instruction-call.ts';
import type { InstructionWarning } from './instruction-warning.ts';
import { normaliseKey } from './normalise-key.ts';
import type { BlockField, InstructionBlock } from './parser-event.ts';
import { readControls } from './read-controls.ts';
import { readSeries } from './read-series.ts';
import { propertyNames, schemaOfFields, type KnownTool, type WrittenField } from './select-command.ts';
import { isToolNameKey, toolNameOf } from './tool-name-of.ts';

export type InstructionReading = {
  /** What the caller may know of a tool; null for one that is not there, whose arguments all stay text. */
  readonly findTool: (name: string) => KnownTool | null;
  readonly limits: Pick<Limits, 'instructionSteps'>;
};

/** Reads a block as the call that it is, by the schemas of the tool that it names (`docs/instruction-protocol.md`). */
export const readInstruction = (
  { raw, content }: InstructionBlock,
  { findTool, limits }: InstructionReading,
): ReadInstruction => {
  if (!content.ok) return content;
  const { fields } = content;
  const toolName = toolNameOf(fields);
  if (toolName === null) {
    const message = 'the block needs a field tool_name:「始」Name「末」';
    return refuse({ code: 'NO_TOOL_NAME', field: 'tool_name', message });
  }
  const written = fields.filter(({ key }) => !isToolNameKey(key)).map(({ key, value }): WrittenField => [key, value]);
  const tool = findTool(toolName);
  const series = readSeries(written, tool, limits.instructionSteps);
  if (series?.ok === false) return refuse(series.diagnostic);
  const steps = (series?.steps ?? [written]).map((step) => ({ step, schema: schemaOfFields(tool, step) }));

  const names = new Set(steps.flatMap(({ schema }) => [...propertyNames(schema)]));
  const { controls, controlKeys, warnings, diagnostics } = readControls(written, names);
  const [fault, ...others] = diagnostics;
  if (fault !== undefined) return refuse(fault, ...others);
  return {
    ok: true,
    call: {
      toolName,
      calls: steps.map(({ step, schema }) => ({ arguments: coerceArguments(readControls(step, names).rest, schema) })),
      seriesKey: series?.key ?? null,
      controls,
      controlKeys,
      warnings: [...content.warnings, ...repeatedKeys(fields), ...warnings],
      raw,
    },
  };
};

/** A warning for each key that stands more than once, however it is spelled. */
const repeatedKeys = (fields: readonly BlockField[]): InstructionWarning[] => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of fields) {
    const plain = normaliseKey(key);
    if (seen.has(plain)) repeated.add(key);
    seen.add(plain);
  }
  return [...repeated].map((key) => ({
    code: 'REPEATED_KEY',
    field: key,
    message: `the block gives "${key.slice(0, 100)}" more than once; the last value was used`,
  }));
};

const refuse = (...diagnostics: Diagnostic[]): ReadInstruction => ({ ok: false, diagnostics });
