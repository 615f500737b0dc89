import type { JsonObject } from '../protocol/json.ts';
import { coerceArguments } from './coerce-arguments.ts';
import type { Diagnostic } from './diagnostic.ts';
import { findBlock } from './find-block.ts';
import { normaliseKey } from './normalise-key.ts';
import { parseBlockFields, type BlockField } from './parse-block-fields.ts';
import { propertyNames, schemaOfFields, type KnownTool, type WrittenField } from './select-command.ts';

/** One call, read from text. `maid` is the agent in whose name it is made; of a repeated key the last value counts. */
export type ToolRequest = {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly maid: string | null;
  readonly repeatedKeys: readonly string[];
  /** Control fields of the chat loop, which mean nothing to a single call. */
  readonly ignoredKeys: readonly string[];
};

export type ReadToolRequest =
  | { readonly ok: true; readonly request: ToolRequest }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Control fields, unless the tool has an argument of that name. A person makes one call here, and waits for it. */
const ACTOR_CONTROLS = new Set(['maid', 'valet']);
const LOOP_CONTROLS = new Set(['archery', 'ink', 'river']);
const UNSUPPORTED_CONTROLS = new Set(['timelycontact', 'command1']);

/** Characters of an actor's name that are kept. */
const LONGEST_NAME = 256;

/**
 * Reads the one TOOL_REQUEST block of a text (overview §2, "VCP instruction protocol"). Prose around it is ignored;
 * a second block, or one that is not whole, is refused with a diagnostic that names the field.
 */
export const readToolRequest = (text: string, tools: { findTool(name: string): KnownTool | null }): ReadToolRequest => {
  const block = findBlock(text);
  if (!block.ok) return refuse(block.diagnostic);
  const parsed = parseBlockFields(block.body);
  if (!parsed.ok) return refuse(parsed.diagnostic);

  const { fields } = parsed;
  const toolName = fields.findLast(({ key }) => normaliseKey(key) === 'toolname')?.value.trim();
  if (toolName === undefined || toolName === '') {
    return refuse({
      code: 'NO_TOOL_NAME',
      field: 'tool_name',
      message: 'the block needs a field tool_name:「始」Name「末」',
    });
  }
  const written = fields
    .filter(({ key }) => normaliseKey(key) !== 'toolname')
    .map(({ key, value }): WrittenField => [key, value]);
  const schema = schemaOfFields(tools.findTool(toolName), written);
  const names = propertyNames(schema);
  const isControl = ([key]: WrittenField, controls: ReadonlySet<string>) =>
    controls.has(normaliseKey(key)) && !names.has(normaliseKey(key));

  const unsupported = written.find((field) => isControl(field, UNSUPPORTED_CONTROLS));
  if (unsupported !== undefined) {
    return refuse({
      code: 'UNSUPPORTED_CONTROL',
      field: unsupported[0],
      message: `"${unsupported[0]}" is not available here: send one call at a time, to be run now`,
    });
  }
  const ignored = written.filter((field) => isControl(field, LOOP_CONTROLS));
  const actor = written.findLast((field) => isControl(field, ACTOR_CONTROLS));
  const rest = written.filter((field) => !isControl(field, LOOP_CONTROLS) && !isControl(field, ACTOR_CONTROLS));
  return {
    ok: true,
    request: {
      toolName,
      arguments: coerceArguments(rest, schema),
      maid: actor?.[1].trim().slice(0, LONGEST_NAME).toWellFormed() ?? null,
      repeatedKeys: repeatedKeys(fields),
      ignoredKeys: ignored.map(([key]) => key),
    },
  };
};

const repeatedKeys = (fields: readonly BlockField[]): string[] => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of fields) {
    const plain = normaliseKey(key);
    if (seen.has(plain)) repeated.add(key);
    seen.add(plain);
  }
  return [...repeated];
};

const refuse = (diagnostic: Diagnostic): ReadToolRequest => ({ ok: false, diagnostics: [diagnostic] });
