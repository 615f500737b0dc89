import type { Diagnostic } from './diagnostic.ts';
import { normaliseKey } from './normalise-key.ts';
import { propertyNames, schemaOfFields, type KnownTool, type WrittenField } from './select-command.ts';

/**
 * A numbered series: the fields of each of its steps, under the names that a single call would give them, and the key
 * that made it one, as it was spelled.
 */
export type ReadSeries =
  | { readonly ok: true; readonly key: string; readonly steps: readonly (readonly WrittenField[])[] }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/**
 * Reads `command1…/key1…` as one call after another; null when the fields are none. They are a series only when
 * `command1` is there and no schema of the tool has such a key.
 */
export const readSeries = (
  fields: readonly WrittenField[],
  tool: KnownTool | null,
  mostSteps: number,
): ReadSeries | null => {
  const commandField = tool?.commandField ?? 'command';
  const base = baseOfSeries(fields, tool, commandField);
  if (base === null) return null;
  const commands = commandsOf(fields, base);
  const count = Math.max(...commands.keys());
  if (commands.size > mostSteps) {
    return fail(
      'SERIES_TOO_LONG',
      `${base}${mostSteps + 1}`,
      `a series may have ${mostSteps} steps, not ${commands.size}`,
    );
  }
  for (let step = 1; step <= commands.size; step += 1) {
    const missing = `${base}${step}`;
    if (!commands.has(step)) {
      return fail(
        'SERIES_INCOMPLETE',
        missing,
        `the series has ${base}${count} but no ${missing}; number its steps from 1 on`,
      );
    }
  }

  const steps = [...Array(count).keys()].map((index): Step => {
    const command: WrittenField = [commandField, commands.get(index + 1) ?? ''];
    return { number: index + 1, command, names: propertyNames(schemaOfFields(tool, [command])) };
  });
  const others = fields.filter(
    ([key]) => numberOf(normaliseKey(key), base) === null && normaliseKey(key) !== normaliseKey(commandField),
  );
  const shared: WrittenField[] = [];
  const own = new Map<number, WrittenField[]>(steps.map(({ number }) => [number, []]));
  for (const field of others) {
    const key = normaliseKey(field[0]);
    const owners = steps.filter((step) => isOfStep(key, step));
    for (const { number } of owners) own.get(number)?.push([withoutNumber(field[0], number), field[1]]);
    if (owners.length > 0) continue;
    const beyond = numberBeyond(key, steps);
    if (beyond !== null) {
      const missing = `${base}${beyond}`;
      return fail(
        'SERIES_INCOMPLETE',
        field[0],
        `the series has ${field[0]} but no ${missing}; give each step its command`,
      );
    }
    shared.push(field);
  }
  return {
    ok: true,
    key: fields.find(([key]) => normaliseKey(key) === `${base}1`)?.[0] ?? `${base}1`,
    // A step's own field counts more than one that all steps share.
    steps: steps.map(({ number, command }) => [command, ...shared, ...(own.get(number) ?? [])]),
  };
};

type Step = { readonly number: number; readonly command: WrittenField; readonly names: ReadonlySet<string> };

const fail = (code: Diagnostic['code'], field: string, message: string): ReadSeries => ({
  ok: false,
  diagnostic: { code, field, message },
});

/** What the commands of the series are called before their number: `command`, or the tool's own word for it. */
const baseOfSeries = (fields: readonly WrittenField[], tool: KnownTool | null, commandField: string): string | null => {
  const written = new Set(fields.map(([key]) => normaliseKey(key)));
  const named = new Set(tool?.commands.flatMap(({ inputSchema }) => [...propertyNames(inputSchema)]));
  const bases = ['command', normaliseKey(commandField)];
  return bases.find((base) => written.has(`${base}1`) && !named.has(`${base}1`)) ?? null;
};

/** The command of each numbered step; of one that stands twice, the last. */
const commandsOf = (fields: readonly WrittenField[], base: string): ReadonlyMap<number, string> => {
  const commands = new Map<number, string>();
  for (const [key, value] of fields) {
    const number = numberOf(normaliseKey(key), base);
    if (number !== null) commands.set(number, value);
  }
  return commands;
};

/** The number behind a key's base, `12` of `command12`; null when the key is another. */
const numberOf = (key: string, base: string): number | null => {
  const number = key.startsWith(base) ? key.slice(base.length) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : null;
};

/** `path2` belongs to the second step, unless its command has a key of that very name. */
const isOfStep = (key: string, { number, names }: Step): boolean => {
  const digits = String(number);
  if (names.has(key) || !key.endsWith(digits) || key.length === digits.length) return false;
  const base = key.slice(0, -digits.length);
  return names.has(base) || !/\d$/.test(base);
};

/** `path_2` is the second step's `path`. */
const withoutNumber = (key: string, number: number): string =>
  key.slice(0, -String(number).length).replace(/[_-]+$/, '');

/** The number of a key that a step would have if there were such a step. */
const numberBeyond = (key: string, steps: readonly Step[]): number | null => {
  const [, base = '', digits = ''] = /^(.*?\D)([1-9]\d{0,8})$/.exec(key) ?? [];
  const isNamed = steps.some(({ names }) => names.has(key));
  return !isNamed && steps.some(({ names }) => names.has(base)) ? Number(digits) : null;
};
