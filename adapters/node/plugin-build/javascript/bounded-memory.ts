import { ModuleReader, ModuleWriter } from './module-bytes.ts';

const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;

/** The same module with a bound to its one memory, in pages of 64 KiB. */
export const boundedMemory = (module: Uint8Array, maximumPages: number): Uint8Array<ArrayBuffer> => {
  const writer = new ModuleWriter();
  for (const { id, body } of new ModuleReader(module).sections()) {
    if (id !== MEMORY_SECTION) {
      writer.section(id, body);
      continue;
    }
    const reader = new ModuleReader(body);
    if (reader.unsigned() !== 1) throw new Error('the engine has not one memory');
    reader.byte();
    const pages = new ModuleWriter().unsigned(1).byte(HAS_MAXIMUM).unsigned(reader.unsigned()).unsigned(maximumPages);
    writer.section(id, pages.bytes());
  }
  return new Uint8Array(writer.finish());
};
