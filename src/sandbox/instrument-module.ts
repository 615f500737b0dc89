import type { HostFunctionName } from '../ports/wasm-sandbox.ts';
import { ModuleRefusal } from './module-refusal.ts';
import type { ModuleRules } from './module-rules.ts';
import { readModule } from './read-module.ts';
import { WasmReader } from './wasm-reader.ts';
import { writeModule } from './write-module.ts';

export type InstrumentedModule = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What it imports of `extism:host/user`, in the order of its imports, each once. */
  readonly hostFunctions: readonly HostFunctionName[];
  /** The names that it exported before the rewrite. */
  readonly exports: readonly string[];
};

/** `reason` is for the plugin's author: what is wrong, at which byte, and what to do. */
export type ModuleVerdict =
  | { readonly ok: true; readonly module: InstrumentedModule }
  | { readonly ok: false; readonly reason: string };

/**
 * Rewrites a module so that it cannot use more than its rules and its fuel allow, or says why it is not accepted.
 * Needs no WebAssembly engine. It does not check types: an engine must have found the module valid, or find the
 * rewritten one so before that runs (`prepare-module.ts` does both).
 */
export const instrumentModule = (bytes: Uint8Array, rules: ModuleRules): ModuleVerdict => {
  try {
    const reader = new WasmReader(bytes);
    const parsed = readModule(reader, rules);
    const { hostFunctions, exports } = parsed.shape;
    const rewritten = writeModule(reader, parsed, rules);
    return { ok: true, module: { bytes: rewritten, hostFunctions: [...hostFunctions], exports } };
  } catch (error) {
    if (error instanceof ModuleRefusal) return { ok: false, reason: error.message };
    throw error;
  }
};
