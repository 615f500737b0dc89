import type { JsonObject } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import { coerceArguments } from './coerce-arguments.ts';
import type { Diagnostic } from './diagnostic.ts';
import { BLOCK_END, BLOCK_START } from './markers.ts';
import { normaliseKey } from './normalise-key.ts';
import { parseBlockFields, type BlockField } from './parse-block-fields.ts';

/** One call, read from text. `maid` is the agent in whose name it is made; of a repeated key the last value counts. */
export type ToolRequest = {
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly maid: string | null;
  readonly repeatedKeys: readonly string[];
};

export type ReadToolRequest =
  | { readonly ok: true; readonly request: ToolRequest }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What reading needs to know of a tool: how it names its commands, and their input schemas. */
export type KnownTool = { readonly commandField: string; readonly commands: readonly InvocationCommand[] };

/** Control fields of the chat loop. Here a person makes one call and waits for it, so these have no meaning yet. */
const LOOP_CONTROLS = new Set(['archery', 'ink', 'river']);
const UNSUPPORTED_CONTROLS = new Set(['timelycontact', 'command1']);

/**
 * Reads the one TOOL_REQUEST block of a text (overview §2, "VCP instruction protocol"). Prose around it is ignored;
 * a second block, or one that is not whole, is refused with a diagnostic that names the field.
 */
export const readToolRequest = (text: string, tools: { findTool(name: string): KnownTool | null }): ReadToolRequest => {
  const body = blockBody(text);
  if (typeof body !== 'string') return refuse(body);
  const parsed = parseBlockFields(body);
  if (!parsed.ok) return refuse(parsed.diagnostic);

  const control = new Map<string, BlockField>();
  const rest: (readonly [string, string])[] = [];
  for (const field of parsed.fields) {
    const plain = normaliseKey(field.key);
    if (plain === 'toolname' || plain === 'maid' || plain === 'valet' || LOOP_CONTROLS.has(plain))
      control.set(plain, field);
    else if (UNSUPPORTED_CONTROLS.has(plain)) {
      return refuse({
        code: 'UNSUPPORTED_CONTROL',
        field: field.key,
        message: `"${field.key}" is not available here: send one call at a time, to be run now`,
      });
    } else rest.push([field.key, field.value]);
  }
  const toolName = control.get('toolname')?.value.trim();
  if (toolName === undefined || toolName === '') {
    return refuse({
      code: 'NO_TOOL_NAME',
      field: 'tool_name',
      message: 'the block needs a field tool_name:「始」Name「末」',
    });
  }
  const maid =
    (control.get('maid') ?? control.get('valet'))?.value.trim().slice(0, LONGEST_NAME).toWellFormed() ?? null;
  const args = coerceArguments(rest, schemaFor(tools.findTool(toolName), rest));
  return { ok: true, request: { toolName, arguments: args, maid, repeatedKeys: repeatedKeys(parsed.fields) } };
};

/** Characters of an actor's name that are kept. */
const LONGEST_NAME = 256;

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

const blockBody = (text: string): string | Diagnostic => {
  const start = text.indexOf(BLOCK_START);
  if (start === -1) return { code: 'NO_BLOCK', field: null, message: `the text holds no ${BLOCK_START} block` };
  const bodyStart = start + BLOCK_START.length;
  const end = endOfBlock(text, bodyStart);
  if (end === -1) return { code: 'BLOCK_NOT_CLOSED', field: null, message: `the block has no ${BLOCK_END}` };
  if (text.includes(BLOCK_START, end + BLOCK_END.length)) {
    return {
      code: 'SEVERAL_BLOCKS',
      field: null,
      message: 'the text holds more than one block; send one call at a time',
    };
  }
  return text.slice(bodyStart, end);
};

/** The end marker that closes the block: one inside an escaped value is part of the value. */
const endOfBlock = (text: string, from: number): number => {
  let position = from;
  let end = text.indexOf(BLOCK_END, position);
  for (;;) {
    if (end !== -1 && end < position) end = text.indexOf(BLOCK_END, position);
    const escape = text.indexOf('「始ESCAPE」', position);
    if (escape === -1 || end === -1 || end < escape) return end;
    const close = text.indexOf('「末ESCAPE」', escape);
    if (close === -1) return end;
    position = close;
  }
};

/** The schema that the written fields are held against: that of the command they name, or the tool's only one. */
const schemaFor = (
  tool: KnownTool | null,
  fields: readonly (readonly [string, string])[],
): InvocationCommand['inputSchema'] => {
  if (tool === null) return true;
  const field = normaliseKey(tool.commandField);
  const named = fields.findLast(([key]) => normaliseKey(key) === field)?.[1].trim();
  const command =
    tool.commands.find((candidate) => candidate.commandIdentifier === named) ??
    (tool.commands.length === 1 ? tool.commands[0] : undefined);
  if (command !== undefined) return command.inputSchema;
  // No such command: only the discriminator's own name matters, for the refusal that follows.
  return { properties: { [tool.commandField]: { type: 'string' } } };
};

const refuse = (diagnostic: Diagnostic): ReadToolRequest => ({ ok: false, diagnostics: [diagnostic] });
