import { DEFAULT_LIMITS } from '../lib/limits.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findBlock } from './find-block.ts';
import type { ControlName, InstructionCall } from './instruction-call.ts';
import type { InstructionWarning } from './instruction-warning.ts';
import { readInstruction, type InstructionReading } from './read-instruction.ts';

/** One call, read from text. `maid` is the agent in whose name it is made; of a repeated key the last value counts. */
export type ToolRequest = {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly maid: string | null;
  readonly repeatedKeys: readonly string[];
  /** Control fields of the chat loop, which mean nothing to a single call. */
  readonly ignoredKeys: readonly string[];
  /** Fields in quotes of an example, when there are any. */
  readonly skippedKeys?: readonly string[];
};

export type ReadToolRequest =
  | { readonly ok: true; readonly request: ToolRequest }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads the one TOOL_REQUEST block of a text (overview §2, "VCP instruction protocol"). Prose around it is ignored;
 * a second block, or one that is not whole, is refused with a diagnostic that names the field.
 */
export const readToolRequest = (text: string, { findTool }: Pick<InstructionReading, 'findTool'>): ReadToolRequest => {
  const found = findBlock(text);
  if (!found.ok) return { ok: false, diagnostics: [found.diagnostic] };
  const read = readInstruction(found.block, { findTool, limits: DEFAULT_LIMITS });
  if (!read.ok) return read;
  const { toolName, calls, controls, controlKeys, warnings } = read.call;
  const unsupported = unsupportedKey(read.call);
  if (unsupported !== null) {
    const message = `"${unsupported}" is not available here: send one call at a time, to be run now`;
    return { ok: false, diagnostics: [{ code: 'UNSUPPORTED_CONTROL', field: unsupported, message }] };
  }
  const keysOf = (wanted: InstructionWarning['code']): string[] =>
    warnings.flatMap(({ code, field }) => (code === wanted ? [field ?? 'a field'] : []));
  const skippedKeys = keysOf('EXAMPLE_SKIPPED');
  return {
    ok: true,
    request: {
      toolName,
      arguments: calls[0]?.arguments ?? {},
      maid: controls.maid,
      repeatedKeys: keysOf('REPEATED_KEY'),
      ignoredKeys: controlKeys.flatMap(({ control, key }) => (LOOP_CONTROLS.has(control) ? [key] : [])),
      ...(skippedKeys.length > 0 && { skippedKeys }),
    },
  };
};

/** A person makes one call here, and waits for it. */
const LOOP_CONTROLS: ReadonlySet<ControlName> = new Set(['archery', 'ink', 'river']);

const unsupportedKey = ({ seriesKey, controlKeys }: InstructionCall): string | null =>
  seriesKey ?? controlKeys.find(({ control }) => control === 'timely_contact')?.key ?? null;
