import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isKey } from './field-key.ts';
import type { InstructionControls, River } from './instruction-call.ts';
import { escapeLiterals } from './literals.ts';
import { BLOCK_END, BLOCK_START, ESCAPED_VALUE_END, ESCAPED_VALUE_START, VALUE_END, VALUE_START } from './markers.ts';
import { isToolNameKey } from './tool-name-of.ts';

export type WritableRequest = {
  readonly toolName: string;
  /** Under the names that the tool's schema has for them: under another, a control field would be read. */
  readonly arguments: JsonObject;
  readonly controls?: Partial<InstructionControls>;
};

export type WrittenToolRequest =
  | { readonly ok: true; readonly text: string }
  /** The argument or `tool_name` that no field can carry, and why. */
  | { readonly ok: false; readonly field: string; readonly message: string };

/**
 * Writes a call as the block that is read back as the same call by the tool's schema. Texts go as they are, everything
 * else as JSON.
 */
export const writeToolRequest = ({ toolName, arguments: args, controls = {} }: WritableRequest): WrittenToolRequest => {
  if (toolName === '' || toolName !== toolName.trim()) {
    return {
      ok: false,
      field: 'tool_name',
      message: 'the name of the tool must not be empty or have white space around it',
    };
  }
  const unwritable = Object.keys(args).find((key) => !isKey(key) || isToolNameKey(key));
  if (unwritable !== undefined) {
    const message = `"${unwritable}" cannot be the key of a field: at most 256 letters, digits and _ - . $ @, and not tool_name`;
    return { ok: false, field: unwritable, message };
  }
  const lines = [
    writeField('tool_name', toolName),
    ...controlFields(controls).map(([key, value]) => writeField(key, value)),
    ...Object.entries(args).map(([key, value]) => writeField(key, textOf(value))),
  ];
  return { ok: true, text: [BLOCK_START, lines.join(',\n'), BLOCK_END].join('\n') };
};

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const controlFields = (controls: Partial<InstructionControls>): [key: string, value: string][] => {
  const { archery = null, markHistory = false, river = null, maid = null, timelyContact = null } = controls;
  const fields: [string, string | null][] = [
    ['maid', maid],
    ['archery', archery],
    ['ink', markHistory ? 'mark_history' : null],
    ['river', river && riverText(river)],
    ['timely_contact', timelyContact],
  ];
  return fields.flatMap(([key, value]) => (value === null ? [] : [[key, value]]));
};

const riverText = (river: River): string => (river.kind === 'last' ? `last:${river.count}` : river.kind);

const writeField = (key: string, value: string): string => {
  const escaped = escapeLiterals(value);
  // A value with a literal stands between escaping quotes, as it is where nothing in it would be restored or close them.
  const isPlain = escaped === value;
  const [open, close] = isPlain ? [VALUE_START, VALUE_END] : [ESCAPED_VALUE_START, ESCAPED_VALUE_END];
  const text = value.includes('_ESCAPE') || value.includes(ESCAPED_VALUE_END) ? escaped : value;
  return `${key}:${open}${padded(text)}${close}`;
};

/** One line break is dropped at either end of a value, so one more is written where the value has its own. */
const padded = (value: string): string => {
  const leading = /^\r?\n/.test(value) ? '\n' : '';
  return `${leading}${value}${endsInBreak(value) ? '\n' : ''}`;
};

const endsInBreak = (value: string): boolean => /\n[^\S\r\n]*$/.test(value.slice(value.lastIndexOf('\n')));
