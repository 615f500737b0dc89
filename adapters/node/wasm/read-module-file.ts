import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { PluginLocation } from '../../../src/ports/transport.ts';

export type ModuleFile =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly reason: string };

/** The bytes of a plugin's WebAssembly file, or why it is not read: it must be a file of its folder, of bounded size. */
export const readModuleFile = async (
  { manifest: { entryPoint }, directory }: PluginLocation,
  maxBytes: number,
): Promise<ModuleFile> => {
  if (entryPoint.type !== 'wasm' || directory === null) return refused('it has no module file');
  const { file } = entryPoint;
  try {
    const folder = await realpath(directory);
    const path = await realpath(join(directory, file));
    if (!path.startsWith(folder + sep))
      return refused(`its module ${file} is a link out of its folder; put the file itself there`);
    // What is no file, such as a pipe, must not keep the server waiting.
    const opened = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await opened.stat();
      if (!found.isFile()) return refused(`its module ${file} is not a file`);
      if (found.size > maxBytes) return refused(tooLarge(file, maxBytes));
      // One byte more than what there was tells a file that grows meanwhile.
      const bytes = new Uint8Array(found.size + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await opened.read(bytes, length, bytes.byteLength - length, length);
        length += bytesRead;
        if (bytesRead === 0 || length === bytes.byteLength) break;
      }
      if (length > found.size) return refused(`its module ${file} is being written`);
      return { ok: true, bytes: bytes.slice(0, length) };
    } finally {
      await opened.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? `its module "${file}" is not in the plugin's folder` : message;
    return refused(code === 'EACCES' ? `its module ${file} cannot be read: permission denied` : reason);
  }
};

const tooLarge = (file: string, maxBytes: number): string =>
  `its module ${file} has more than ${maxBytes} bytes; build it smaller, for example without debug information`;

const refused = (reason: string): ModuleFile => ({ ok: false, reason });
