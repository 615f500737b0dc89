import { HOST_FUNCTIONS } from '../../../src/ports/wasm-sandbox.ts';

const HOST_MODULES = ['extism:host/env', 'extism:host/user'];

/** What an author of AssemblyScript most likely meant, by the name of the import that it became. */
const ADVICE: Readonly<Record<string, string>> = {
  'console.log': 'use log() of vcp-plugin',
  'Date.now': 'there is no clock; the time of the call is call.now',
  seed: 'a random number needs a call: draw it inside of serve()',
  trace: 'use log() of vcp-plugin',
};

/** One line for each import that no host of ours has: such a module would be refused when it is loaded. */
export const foreignImports = (bytes: Uint8Array): string[] =>
  WebAssembly.Module.imports(new WebAssembly.Module(new Uint8Array(bytes)))
    .filter(({ module, name }) => !isHosted(module, name))
    .map(({ module, name }) => {
      const advice = ADVICE[name] ?? `a plugin has only ${HOST_MODULES.join(' and ')}`;
      return `the module imports "${name}" of "${module}", which no host has: ${advice}`;
    });

const isHosted = (module: string, name: string): boolean =>
  module === 'extism:host/env' || (module === 'extism:host/user' && HOST_FUNCTIONS.some((known) => known === name));
