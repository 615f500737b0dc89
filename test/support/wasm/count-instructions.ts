import { readModuleText, typeOfText, type ModuleText, type TextType } from './module-text.ts';

/**
 * The slow and plain way to count what a module runs: one addition before every single instruction of its text. It
 * shares no code with the instrumentation, only the list of prices, written here again.
 */
export const countInstructions = (text: string): string => {
  const module = readModuleText(text);
  const counter = module.globals.length;
  const helpers = module.functions.length;
  const lines: string[] = [];
  let labels: number[] | null = null;
  for (const line of module.lines) {
    const opened = /^ {2}\(func \(;(\d+);\)/.exec(line);
    if (opened !== null) {
      labels = [(module.functions[Number(opened[1])] as TextType).results.length];
      lines.push(line);
      continue;
    }
    if (labels === null || !line.startsWith('    ')) {
      if (line.startsWith('  (') || line === '  )') labels = null;
      lines.push(line);
      continue;
    }
    const instruction = line.trim();
    if (instruction.startsWith('(local')) {
      const locals = instruction.replace(/[()]/g, '').split(' ').length - 1;
      lines.push(line.replace(/\)\)$/, ')'), ...add(counter, Math.floor(locals / 8)));
      if (line.endsWith('))')) lines.push('  )');
      continue;
    }
    const { price, grow } = priceOf(instruction, module, labels);
    if (price > 0) lines.push(...add(counter, price));
    if (grow === 'bytes') lines.push(`    call ${helpers}`);
    if (grow === 'elements') lines.push(`    call ${helpers + 1}`);
    lines.push(line);
  }
  return [...closeWith(lines, counter), ''].join('\n');
};

const add = (counter: number, units: number): string[] =>
  units === 0 ? [] : [`    global.get ${counter} i64.const ${units} i64.add global.set ${counter}`];

const closeWith = (lines: readonly string[], counter: number): string[] => {
  const helper = (price: string): string =>
    `  (func (param i32) (result i32) global.get ${counter} local.get 0 i64.extend_i32_u ${price} i64.add global.set ${counter} local.get 0)`;
  return [
    ...lines,
    helper('i64.const 2 i64.shr_u'),
    helper('i64.const 32 i64.mul'),
    `  (global (;${counter};) (mut i64) (i64.const 0))`,
    `  (export "count" (global ${counter}))`,
    ')',
  ];
};

const VECTOR_DIVISION = /^(?:f32x4|f64x2)\.(?:div|sqrt)/;
const DIVISION = /^(?:i32|i64)\.(?:div|rem)_[su]|^f(?:32|64)\.(?:div|sqrt)/;

const priceOf = (
  instruction: string,
  { types, functions, segments }: ModuleText,
  labels: number[],
): { price: number; grow?: 'bytes' | 'elements' } => {
  const [name, ...operands] = instruction
    .replace(/ *;; label = @\d+|\(;.*?;\)/g, '')
    .trim()
    .split(/ +/) as [string, ...string[]];
  const carried = (depth: number): number => Math.floor((labels.at(-1 - depth) ?? 0) / 4);
  const moved = ({ parameters, results }: TextType): number => Math.floor((parameters.length + results.length) / 4);
  const numbered = /\(type (\d+)\)/.exec(instruction)?.[1];
  switch (name.replace(/\)+$/, '')) {
    case 'block':
    case 'if':
    case 'loop': {
      const type = numbered === undefined ? typeOfText(instruction) : (types[Number(numbered)] as TextType);
      labels.push(name === 'loop' ? type.parameters.length : type.results.length);
      return { price: name === 'if' ? 1 : 0 };
    }
    case 'end':
      labels.pop();
      return { price: 0 };
    case 'else':
      return { price: 0 };
    case 'br':
    case 'br_if':
    case 'br_table':
      return { price: 1 + carried(Number.parseInt(operands.at(-1) as string, 10)) };
    case 'return':
      return { price: 1 + carried(labels.length - 1) };
    case 'call':
      return { price: 1 + moved(functions[Number.parseInt(operands[0] as string, 10)] as TextType) };
    case 'call_indirect':
      return { price: 5 + moved(types[Number(numbered)] as TextType) };
    case 'table.set':
      return { price: 64 };
    case 'table.get':
    case 'ref.func':
      return { price: 16 };
    case 'memory.fill':
    case 'memory.copy':
    case 'memory.init':
      return { price: 17, grow: 'bytes' };
    case 'table.fill':
    case 'table.copy':
      return { price: 17, grow: 'elements' };
    case 'table.init':
      return {
        price: 17 + 32 * (segments[Number.parseInt(operands.at(-1) as string, 10)] as number),
        grow: 'elements',
      };
    default:
      return { price: VECTOR_DIVISION.test(name) ? 16 : DIVISION.test(name) ? 8 : 1 };
  }
};
