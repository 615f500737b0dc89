import { readModuleText } from './module-text.ts';

const NEUTRAL: Readonly<Record<string, string>> = {
  i32: 'i32.const 7',
  i64: 'i64.const 8',
  f32: 'f32.const 0.5',
  f64: 'f64.const 0.25',
  v128: 'v128.const i64x2 1 2',
  externref: 'ref.null extern',
  funcref: 'ref.null func',
};

/** Makes one number of a value, so that it can be told from another. */
const FOLD: Readonly<Record<string, string>> = {
  i32: 'i64.extend_i32_s',
  i64: '',
  f32: 'i32.reinterpret_f32 i64.extend_i32_s',
  f64: 'i64.reinterpret_f64',
  v128: 'i64x2.extract_lane 1',
};

/**
 * The text of a module with a definition for each of its imports: functions remember what they were called with, in an
 * exported global. Everything that JavaScript can look at is exported, and the fuzzer's guard against endless loops is
 * made to wait longer, so that more runs come to an end.
 */
export const closeModule = (text: string): string => {
  const { lines, functions, globals, hasMemory } = readModuleText(text);
  const sum = globals.length;
  let importedFunctions = 0;
  const closed = lines.flatMap((line) => {
    const imported = /^ {2}\(import "[^"]*" "[^"]*" \((func|global) (\(;\d+;\) .*)\)\)$/.exec(line);
    if (line.startsWith('  (export ') || line.startsWith('  (start ')) return [];
    if (imported === null) return [line];
    const [, kind, rest] = imported as unknown as [string, string, string];
    if (kind === 'global') {
      const type = /[a-z0-9]+(?=\)?$)/.exec(rest)?.[0] as string;
      return [`  (global ${rest} (${NEUTRAL[type]}))`];
    }
    const type = functions[importedFunctions] as (typeof functions)[number];
    importedFunctions += 1;
    const folds = type.parameters.flatMap((parameter, index) =>
      FOLD[parameter] === undefined
        ? []
        : [`global.get ${sum} i64.const 31 i64.mul local.get ${index} ${FOLD[parameter]} i64.add global.set ${sum}`],
    );
    // Every instruction on a line of its own, as wabt prints them.
    const body = [...folds.flatMap(splitInstructions), ...type.results.map((result) => NEUTRAL[result] as string)];
    return [`  (func ${rest}`, ...body.map((instruction) => `    ${instruction}`), '  )'];
  });
  const exports = [
    `  (global (;${sum};) (mut i64) (i64.const 0))`,
    ...functions.map((_, index) => `  (export "f${index}" (func ${index}))`),
    ...[...globals, { type: 'i64' }].map((_, index) => `  (export "g${index}" (global ${index}))`),
    ...(hasMemory ? ['  (export "m" (memory 0))'] : []),
  ];
  return patientGuards([...closed, ...exports, ')', ''].join('\n'));
};

const splitInstructions = (text: string): string[] =>
  [...text.matchAll(/[a-z0-9_]+(?:\.[a-z0-9_]+)+(?: \d+)?/g)].map((match) => match[0]);

const patientGuards = (text: string): string => {
  const guard = /i32\.eqz\n +if {2};; label = @\d+\n +i32\.const 100\n +global\.set (\d+)/.exec(text)?.[1];
  if (guard === undefined) return text;
  return text
    .replaceAll(
      new RegExp(`i32\\.const 100\\n( +)global\\.set ${guard}\\b`, 'g'),
      `i32.const 4000\n$1global.set ${guard}`,
    )
    .replace(`(global (;${guard};) (mut i32) (i32.const 100))`, `(global (;${guard};) (mut i32) (i32.const 4000))`);
};
