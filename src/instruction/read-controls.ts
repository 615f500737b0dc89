import type { Diagnostic } from './diagnostic.ts';
import type { ControlName, InstructionCall, InstructionControls, River } from './instruction-call.ts';
import type { InstructionWarning } from './instruction-warning.ts';
import { normaliseKey } from './normalise-key.ts';
import { readTimelyContact } from './read-timely-contact.ts';
import type { WrittenField } from './select-command.ts';

const CONTROLS: ReadonlyMap<string, ControlName> = new Map([
  ['archery', 'archery'],
  ['ink', 'ink'],
  ['river', 'river'],
  ['maid', 'maid'],
  ['valet', 'maid'],
  ['timelycontact', 'timely_contact'],
]);

/** Characters of an actor's name that are kept. */
const LONGEST_NAME = 256;
const LONGEST_SHOWN = 40;

export type SplitFields = {
  /** Fields that are the tool's arguments. */
  readonly rest: readonly WrittenField[];
  readonly controls: InstructionControls;
  readonly controlKeys: InstructionCall['controlKeys'];
  readonly warnings: readonly InstructionWarning[];
  readonly diagnostics: readonly Diagnostic[];
};

/** Takes the control fields out of a block's fields. One that the tool's own schema names is the tool's argument. */
export const readControls = (fields: readonly WrittenField[], names: ReadonlySet<string>): SplitFields => {
  const rest: WrittenField[] = [];
  const controlKeys: { control: ControlName; key: string }[] = [];
  const written = new Map<ControlName, WrittenField>();
  for (const field of fields) {
    const key = normaliseKey(field[0]);
    const control = names.has(key) ? undefined : CONTROLS.get(key);
    if (control === undefined) rest.push(field);
    else {
      controlKeys.push({ control, key: field[0] });
      written.set(control, field);
    }
  }
  const warnings: InstructionWarning[] = [];
  const diagnostics: Diagnostic[] = [];
  /** A value of one of the fields that can be left out: what it means, or nothing and a warning. */
  const known = <T>(control: ControlName, allowed: string, meaningOf: (value: string) => T | undefined): T | null => {
    const [key, text] = written.get(control) ?? ['', ''];
    const value = text.trim().toLowerCase();
    if (value === '' || value === 'false') return null;
    const meaning = meaningOf(value);
    if (meaning !== undefined) return meaning;
    const message = `"${key}" must be ${allowed}, not ${shown(text)}, and was left out`;
    warnings.push({ code: 'UNKNOWN_CONTROL_VALUE', field: key, message });
    return null;
  };
  const controls: InstructionControls = {
    archery: known('archery', 'true or no_reply', (value) =>
      value === 'true' || value === 'no_reply' ? value : undefined,
    ),
    markHistory: known('ink', 'mark_history', (value) => (value === 'mark_history' ? true : undefined)) ?? false,
    river: known('river', 'full, text or last:N', riverOf),
    maid: nameOf(written.get('maid')?.[1]),
    timelyContact: timeOf(written.get('timely_contact'), diagnostics),
  };
  return { rest, controls, controlKeys, warnings, diagnostics };
};

const riverOf = (value: string): River | undefined => {
  if (value === 'full' || value === 'text') return { kind: value };
  const count = Number(/^last\s*[:：]\s*([1-9]\d{0,5})$/.exec(value)?.[1] ?? 0);
  return count > 0 ? { kind: 'last', count } : undefined;
};

const nameOf = (text: string | undefined): string | null => {
  const name = text?.trim().slice(0, LONGEST_NAME).toWellFormed() ?? '';
  return name === '' ? null : name;
};

/** A call for later that is run now would do what nobody asked for, so a time that cannot be read stops it. */
const timeOf = (field: WrittenField | undefined, diagnostics: Diagnostic[]): string | null => {
  if (field === undefined) return null;
  const [key, text] = field;
  const time = readTimelyContact(text);
  if (time === null) {
    diagnostics.push({
      code: 'INVALID_CONTROL',
      field: key,
      message: `"${key}" must be a time such as 2026-12-24 18:00 or 2026-12-24T18:00:00+08:00, not ${shown(text)}`,
    });
  }
  return time;
};

const shown = (text: string): string => JSON.stringify(text.trim().slice(0, LONGEST_SHOWN).toWellFormed());
