import { createHash } from 'node:crypto';
import { realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { messageOf } from '../../../src/lib/message-of.ts';
import { EntryPoint } from '../../../src/protocol/manifest.ts';
import { MANIFEST_FILE } from '../read-plugin-directories.ts';
import { readJsonFile } from './read-json-file.ts';
import { PluginBuildError, type BuildOptions, type BuildReport } from './build-report.ts';

const DEFAULT_MODULE = 'plugin.wasm';

/** Puts a built module where the manifest says, in one step: a server that watches the folder never sees half of it. */
export const writeModule = async (
  directory: string,
  { outFile }: BuildOptions,
  bytes: Uint8Array,
  { language, startedAt }: { readonly language: BuildReport['language']; readonly startedAt: number },
): Promise<BuildReport> => {
  const file = resolve(directory, outFile ?? (await moduleOf(directory)));
  const draft = `${file}.${crypto.randomUUID()}.draft`;
  try {
    // Never through a link that lies in its place, nor over anything.
    await writeFile(draft, bytes, { flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return {
    language,
    file,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    durationMs: performance.now() - startedAt,
  };
};

/**
 * The manifest may be a stranger's, so that what it names is written only inside of its folder, and is only ever a module.
 * One that is missing, or no JSON, is no hindrance to a build: `vcp plugin check` judges it.
 */
const moduleOf = async (directory: string): Promise<string> => {
  let manifest: { readonly entryPoint?: unknown } | null;
  try {
    manifest = (await readJsonFile(join(directory, MANIFEST_FILE))) as typeof manifest;
  } catch {
    manifest = null;
  }
  const entryPoint = EntryPoint.optional().safeParse(manifest?.entryPoint);
  if (!entryPoint.success) {
    const [issue] = entryPoint.error.issues;
    throw new PluginBuildError(
      `${MANIFEST_FILE}: ${['entryPoint', ...(issue?.path ?? [])].join('.')} ${issue?.message}`,
    );
  }
  const name = entryPoint.data?.type === 'wasm' ? entryPoint.data.file : DEFAULT_MODULE;
  if (!name.endsWith('.wasm')) {
    throw new PluginBuildError(`${MANIFEST_FILE}: entryPoint.file "${name}" must end in ".wasm" to be built`);
  }
  const file = resolve(directory, name);
  const folder = await realpath(directory);
  const parent = await realpath(dirname(file)).catch((error: unknown) => {
    throw new PluginBuildError(`the folder of entryPoint.file "${name}" cannot be written to: ${messageOf(error)}`);
  });
  if (parent !== folder && !parent.startsWith(folder + sep)) {
    throw new PluginBuildError(`entryPoint.file "${name}" leads out of the plugin's folder, to ${parent}`);
  }
  return file;
};
