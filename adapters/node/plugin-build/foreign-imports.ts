import { ENVIRONMENT_MODULE, HOST_MODULE, isHostFunctionName } from '../../../src/sandbox/guest-imports.ts';

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
      const advice = ADVICE[name] ?? `a plugin has only ${ENVIRONMENT_MODULE} and ${HOST_MODULE}`;
      return `the module imports "${name}" of "${module}", which no host has: ${advice}`;
    });

const isHosted = (module: string, name: string): boolean =>
  module === ENVIRONMENT_MODULE || (module === HOST_MODULE && isHostFunctionName(name));
