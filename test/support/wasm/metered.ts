import { instrumentModule } from '../../../src/sandbox/instrument-module.ts';
import type { ModuleRules } from '../../../src/sandbox/module-rules.ts';
import { rulesWith } from './module-rules.ts';
import { textToWasm } from './text-to-wasm.ts';

const FUEL = '__vcp_fuel';
const DENIED = '__vcp_denied';

/** What a module exports, by kind; the wrong kind is a mistake of the test. */
export type Exports = Record<string, WebAssembly.ExportValue>;
export const globalOf = (exports: Exports, name: string): WebAssembly.Global => exports[name] as WebAssembly.Global;
export const memoryOf = (exports: Exports, name: string): Uint8Array =>
  new Uint8Array((exports[name] as WebAssembly.Memory).buffer);

export const fuelOf = (exports: Exports): bigint => globalOf(exports, FUEL).value as bigint;
export const setFuel = (exports: Exports, fuel: bigint): void => {
  globalOf(exports, FUEL).value = fuel;
};

export type Metered = {
  readonly exports: Exports;
  /** What is left. */
  fuel(): bigint;
  denied(): boolean;
  /** Calls an export with so much fuel; tells what it gave or how it ended, and what it took. */
  call(name: string, fuel: bigint | number, ...values: unknown[]): { readonly ended: unknown; readonly used: bigint };
};

/** Compiles a module's text after the rewrite; throws when it is refused. */
export const meteredModule = (text: string, rules: Partial<ModuleRules> = {}): WebAssembly.Module => {
  const verdict = instrumentModule(textToWasm(text), rulesWith(rules));
  if (!verdict.ok) throw new Error(verdict.reason);
  return new WebAssembly.Module(verdict.module.bytes);
};

export const metered = (
  text: string,
  { rules = {}, imports = {} }: { rules?: Partial<ModuleRules>; imports?: WebAssembly.Imports } = {},
): Metered => {
  const exports = new WebAssembly.Instance(meteredModule(text, rules), imports).exports as Exports;
  const fuel = (): bigint => fuelOf(exports);
  return {
    exports,
    fuel,
    denied: () => globalOf(exports, DENIED).value === 1,
    call: (name, amount, ...values) => {
      setFuel(exports, BigInt(amount));
      let ended: unknown;
      try {
        ended = (exports[name] as (...given: unknown[]) => unknown)(...values);
      } catch (error) {
        ended = fuel() < 0n ? 'out of fuel' : (error as Error).message;
      }
      return { ended, used: BigInt(amount) - fuel() };
    },
  };
};
