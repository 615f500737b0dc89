import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MANIFEST_FILE } from '../read-plugin-directories.ts';
import { readJsonFile } from './read-json-file.ts';
import type { BuildOptions, BuildReport } from './build-report.ts';

const DEFAULT_MODULE = 'plugin.wasm';

/** Puts a built module where the manifest says, in one step: a server that watches the folder never sees half of it. */
export const writeModule = async (
  directory: string,
  { outFile }: BuildOptions,
  bytes: Uint8Array,
  { language, startedAt }: { readonly language: BuildReport['language']; readonly startedAt: number },
): Promise<BuildReport> => {
  const file = resolve(directory, outFile ?? (await moduleOf(directory)));
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, bytes);
  await rename(draft, file);
  return {
    language,
    file,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    durationMs: performance.now() - startedAt,
  };
};

/** A manifest that is missing or wrong is no hindrance to a build: `vcp plugin check` judges it. */
const moduleOf = async (directory: string): Promise<string> => {
  try {
    const manifest = (await readJsonFile(join(directory, MANIFEST_FILE))) as {
      entryPoint?: { type?: unknown; file?: unknown };
    };
    const { type, file } = manifest.entryPoint ?? {};
    return type === 'wasm' && typeof file === 'string' ? file : DEFAULT_MODULE;
  } catch {
    return DEFAULT_MODULE;
  }
};
