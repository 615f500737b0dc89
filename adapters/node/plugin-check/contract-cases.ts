import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';
import { resolveJsonPointer } from '../../../src/lib/json-pointer.ts';
import { ToolStatus } from '../../../src/protocol/status.ts';

const Arguments = z.record(z.string(), z.unknown());

/** A call that comes before the case; `save` names values of its canonical result for `${name}` in later arguments. */
const SetupStep = z.strictObject({ arguments: Arguments, save: z.record(z.string(), z.string()).optional() });

const ContractCase = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(['success', 'argument-error', 'edge']),
  setup: z.array(SetupStep).default([]),
  arguments: Arguments,
  expect: z.strictObject({
    status: ToolStatus,
    data: z.unknown().optional(),
    errorCode: z.string().optional(),
    target: z.string().nullable().optional(),
    /** Codes of all warnings, in their order. */
    warnings: z.array(z.string()).optional(),
  }),
  snapshot: z.boolean().default(false),
});
export type ContractCase = z.infer<typeof ContractCase>;

export const ContractCases = z.strictObject({
  /** Values of the plugin's declared configuration that differ from its defaults. */
  configuration: z.record(z.string(), z.string()).default({}),
  /** A list of recorded answers (recordings.ts) in the plugin's folder, served at `${recordings}` during each case. */
  recordings: z.string().optional(),
  cases: z.array(ContractCase).min(1),
});
export type ContractCases = z.infer<typeof ContractCases>;

export const CASE_KINDS = ['success', 'argument-error', 'edge'] as const;

export const readContractCases = (pluginDirectory: string): ContractCases =>
  ContractCases.parse(jsonOf(readFileSync(join(pluginDirectory, 'contract-cases.json'), 'utf8')));

const jsonOf = (text: string): unknown => {
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (!parsed.ok) throw new Error(parsed.issue.message);
  return parsed.value;
};

/** The values that `save` asks for, out of a canonical result. A pointer to nothing is a fault of the case. */
export const savedValues = (save: Readonly<Record<string, string>> | undefined, result: unknown): Map<string, string> =>
  new Map(
    Object.entries(save ?? {}).map(([name, pointer]) => {
      const value = resolveJsonPointer(result, pointer);
      if (typeof value !== 'string') throw new Error(`setup saves "${name}" from ${pointer}, where there is no string`);
      return [name, value];
    }),
  );

/** Fills `${name}` in every string. A name that nothing saved is a fault of the case, not an empty string. */
export const substitute = <Value>(value: Value, saved: ReadonlyMap<string, string>): Value => {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      const known = saved.get(name);
      if (known === undefined) throw new Error(`the case uses "\${${name}}", which no setup step saved`);
      return known;
    }) as Value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => substitute(item, saved)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, substitute(child, saved)])) as Value;
};
