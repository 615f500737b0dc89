import type { HostFunctionName, SandboxModule } from '../../../src/ports/wasm-sandbox.ts';
import { importedFunctions } from '../../../src/sandbox/guest/prepare-guest.ts';

export type CompiledModule = {
  readonly module: WebAssembly.Module;
  /** The host functions that it imports. */
  readonly imported: readonly HostFunctionName[];
};

/** Modules that are compiled once and shared by all threads. */
export type CompiledModules = {
  /** Rejects when the engine does not take the module. */
  get(module: SandboxModule): Promise<CompiledModule>;
  forget(digest: string): void;
};

export const createCompiledModules = (): CompiledModules => {
  const compiled = new Map<string, Promise<CompiledModule>>();

  const compile = async ({ bytes, compiled: ahead }: SandboxModule): Promise<CompiledModule> => {
    if (ahead === null && bytes === null) throw new Error('it has neither bytes nor a compiled module');
    const module = ahead ?? (await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>));
    return { module, imported: importedFunctions(module) };
  };

  return {
    get: (module) => {
      const known = compiled.get(module.digest);
      if (known !== undefined) return known;
      const compiling = compile(module);
      compiled.set(module.digest, compiling);
      return compiling;
    },
    forget: (digest) => void compiled.delete(digest),
  };
};
