import { WasmWriter } from '../../../src/sandbox/wasm-writer.ts';

/** Bytes, names and lists of them, put down as the binary format wants them: a string with its length before it. */
export type Part = number | string | readonly Part[];

const put = (writer: WasmWriter, part: Part): void => {
  if (typeof part === 'number') writer.u8(part);
  else if (typeof part === 'string') writer.name(part);
  else for (const one of part) put(writer, one);
};

export const bytesOf = (...parts: readonly Part[]): Uint8Array<ArrayBuffer> => {
  const writer = new WasmWriter();
  put(writer, parts);
  return writer.bytes().slice();
};

/** A number as the format writes counts and indexes. */
export const u32 = (value: number): readonly number[] => [...new WasmWriter().u32(value).bytes()];

/** A section that is a list. */
export const list = (id: number, ...entries: readonly Part[]): Part => section(id, u32(entries.length), ...entries);

export const section = (id: number, ...parts: readonly Part[]): Part => {
  const content = bytesOf(...parts);
  return [id, u32(content.length), [...content]];
};

/** A function's body: its declaration of locals (none, when the code stands alone) and its instructions, `end` added. */
export const body = (code: readonly Part[], locals: Part = [0]): Part => {
  const content = bytesOf(locals, ...code, 0x0b);
  return [u32(content.length), [...content]];
};

export const wasm = (...sections: readonly Part[]): Uint8Array<ArrayBuffer> =>
  bytesOf([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], ...sections);

/** A module with one function without parameters and results, which runs `code`; `before` and `after` are sections. */
export const moduleWith = (
  code: readonly Part[],
  { locals = [0], before = [], after = [] }: { locals?: Part; before?: readonly Part[]; after?: readonly Part[] } = {},
): Uint8Array<ArrayBuffer> =>
  wasm(list(1, [0x60, 0, 0]), list(3, [0]), ...before, list(10, body(code, locals)), ...after);
