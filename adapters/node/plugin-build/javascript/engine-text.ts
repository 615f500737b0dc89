import type { Engine } from './engine.ts';

export type EngineText = {
  /** A copy of the bytes in the engine's memory. */
  writeBytes(bytes: Uint8Array): number;
  /** A C string. */
  write(text: string): number;
  /** Frees memory and leaves zeros, which a snapshot need not hold. */
  wipe(pointer: number, length: number): void;
  /** The text that a global variable holds. */
  readGlobal(name: string): string;
  /** What was thrown last, with its stack. */
  takeException(): string;
};

/** Texts and bytes into the engine and out of it. */
export const engineText = (engine: Engine): EngineText => {
  const bytes = () => new Uint8Array(engine.memory.buffer);

  const writeBytes = (content: Uint8Array): number => {
    const pointer = engine.call('wasm_malloc', Math.max(1, content.length));
    if (pointer === 0) throw new Error('the JavaScript engine has no memory left');
    bytes().set(content, pointer);
    return pointer;
  };

  const read = (value: number): string => {
    const lengthAt = writeBytes(new Uint8Array(4));
    const start = engine.call('qjs_get_string_len', value, lengthAt);
    const length = new DataView(engine.memory.buffer).getUint32(lengthAt, true);
    engine.call('wasm_free', lengthAt);
    return start === 0 ? '' : new TextDecoder().decode(bytes().slice(start, start + length));
  };

  const write = (text: string): number => writeBytes(new TextEncoder().encode(`${text}\0`));

  return {
    writeBytes,
    write,
    wipe: (pointer, length) => {
      bytes().fill(0, pointer, pointer + length);
      engine.call('wasm_free', pointer);
    },
    readGlobal: (name) => {
      const scope = engine.call('qjs_get_global');
      const value = engine.call('qjs_get_prop_string', scope, write(name));
      const content = read(value);
      engine.call('qjs_free_value', value);
      engine.call('qjs_free_value', scope);
      return content;
    },
    takeException: () => {
      const exception = engine.call('qjs_get_exception');
      const stack = engine.call('qjs_get_prop_string', exception, write('stack'));
      return `${read(exception)}\n${read(stack)}`.replace(/\nundefined$/, '').trimEnd();
    },
  };
};
