type Exports = Record<string, unknown>;

/** Values of JavaScript that a function may be called with; a v128 has none. */
const argumentOf = (type: string, next: () => number): unknown => {
  const small = next() % 4 === 0;
  if (type === 'i32') return small ? next() % 16 : next() | 0;
  if (type === 'i64') return small ? BigInt(next() % 16) : (BigInt(next()) << 32n) | BigInt(next());
  if (type === 'f32' || type === 'f64') return small ? next() % 16 : (next() - 2 ** 31) / 2 ** (next() % 40);
  return type === 'externref' ? 'a value of the host' : null;
};

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : String(value);
};

const hashOf = (memory: ArrayBuffer): number => {
  const words = new Uint32Array(memory);
  let hash = 2_166_136_261;
  for (const word of words) hash = Math.imul(hash ^ word, 16_777_619);
  return hash >>> 0;
};

/** The memory's size, its content where that is asked for, and all globals that JavaScript can read. */
export const stateOf = (exports: Exports, withContent: boolean): string => {
  const globals = Object.entries(exports)
    .filter(([name]) => /^g\d+$/.test(name))
    .map(([name, global]) => {
      try {
        return `${name}=${describe((global as WebAssembly.Global).value)}`;
      } catch {
        return `${name}=?`; // a v128
      }
    });
  const memory = exports.m as WebAssembly.Memory | undefined;
  const size = memory?.buffer.byteLength;
  const content = memory !== undefined && withContent ? hashOf(memory.buffer) : '';
  return `${globals.join(' ')} ${size} ${content}`;
};

/** Calls a function; a trap is told by its message. `overflow` and `hidden` tell nothing about the module. */
export const callOf = (
  exports: Exports,
  name: string,
  parameters: readonly string[],
  next: () => number,
): { readonly type: 'done' | 'trap' | 'overflow' | 'hidden'; readonly text: string } => {
  const values = parameters.map((type) => argumentOf(type, next));
  try {
    return { type: 'done', text: describe((exports[name] as (...values: unknown[]) => unknown)(...values)) };
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) return { type: 'trap', text: error.message };
    if (error instanceof RangeError) return { type: 'overflow', text: error.message };
    if (error instanceof TypeError) return { type: 'hidden', text: error.message };
    throw error;
  }
};
