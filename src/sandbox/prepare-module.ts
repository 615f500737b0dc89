import { messageOf } from '../lib/message-of.ts';
import { sha256Of } from '../lib/sha256.ts';
import type { HostFunctionName, SandboxModule } from '../ports/wasm-sandbox.ts';
import { instrumentModule } from './instrument-module.ts';
import type { ModuleRules } from './module-rules.ts';

export type PreparedModule = {
  readonly sandbox: SandboxModule;
  /** What it imports of `extism:host/user`. */
  readonly hostFunctions: readonly HostFunctionName[];
  readonly exports: readonly string[];
};

/** `reason` is for the plugin's author. */
export type Preparation =
  | { readonly ok: true; readonly module: PreparedModule }
  | { readonly ok: false; readonly reason: string };

export type ModulePreparer = {
  /** Checks and instruments a module; the same bytes with the same rules are worked on once. */
  prepare(bytes: Uint8Array<ArrayBuffer>, rules: ModuleRules): Promise<Preparation>;
};

export type ModulePreparerOptions = {
  /** Modules that are remembered. */
  readonly capacity?: number;
  /** Rewritten bytes of all that are remembered. */
  readonly capacityBytes?: number;
};

/** Remembers what it prepared last. */
export const createModulePreparer = ({
  capacity = 64,
  capacityBytes = 64 * 1024 * 1024,
}: ModulePreparerOptions = {}): ModulePreparer => {
  /** The one that was prepared longest ago first. What is being prepared has no bytes yet. */
  const recent = new Map<string, { readonly preparation: Promise<Preparation>; bytes: number }>();

  const trim = (): void => {
    let bytes = [...recent.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of recent) {
      if (recent.size <= capacity && bytes <= capacityBytes) return;
      recent.delete(key);
      bytes -= entry.bytes;
    }
  };

  return {
    prepare: async (bytes, rules) => {
      const key = `${await sha256Of(bytes)} ${JSON.stringify(Object.entries(rules).toSorted())}`;
      const known = recent.get(key);
      if (known !== undefined) return known.preparation;
      const entry = { preparation: prepareModule(bytes, rules), bytes: 0 };
      recent.set(key, entry);
      const prepared = await entry.preparation;
      entry.bytes = prepared.ok ? (prepared.module.sandbox.bytes?.length ?? 0) : 0;
      trim();
      return prepared;
    },
  };
};

/**
 * Lets the engine check the module as it is, rewrites it, and lets the engine check that too: a mistake of the rewrite
 * must refuse a module, never run it. Needs a runtime that can check WebAssembly when it runs.
 */
export const prepareModule = async (bytes: Uint8Array<ArrayBuffer>, rules: ModuleRules): Promise<Preparation> => {
  // A copy: nobody may change the bytes between the check and the rewrite.
  const original = bytes.slice();
  const fault = faultOf(original);
  if (fault !== null) {
    // What the rewrite has to say of it is more to the point than an engine's word, when it has anything to say.
    const verdict = instrumentModule(original, rules);
    return { ok: false, reason: verdict.ok ? fault : verdict.reason };
  }
  const verdict = instrumentModule(original, rules);
  if (!verdict.ok) return verdict;
  const { bytes: rewritten, hostFunctions, exports } = verdict.module;
  const mistake = faultOf(rewritten);
  if (mistake !== null)
    return { ok: false, reason: `a mistake of the sandbox: its rewrite of this module: ${mistake}` };
  const sandbox: SandboxModule = { digest: await sha256Of(rewritten), bytes: rewritten, compiled: null };
  return { ok: true, module: { sandbox, hostFunctions, exports } };
};

const faultOf = (bytes: Uint8Array<ArrayBuffer>): string | null => {
  try {
    return WebAssembly.validate(bytes) ? null : 'the engine finds it invalid; build it again, or for WebAssembly 2.0';
  } catch (error) {
    return `this runtime cannot check WebAssembly while it runs; prepare the module when it is deployed (${messageOf(error)})`;
  }
};
