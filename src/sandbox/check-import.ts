import { HOST_FUNCTIONS } from '../ports/wasm-sandbox.ts';
import { suggestName } from '../lib/suggest.ts';
import {
  ENVIRONMENT_FUNCTIONS,
  ENVIRONMENT_MODULE,
  HOST_FUNCTION_TYPES,
  HOST_MODULE,
  type EnvironmentFunctionName,
  isHostFunctionName,
} from './guest-imports.ts';
import { describeFunctionType, type FunctionType } from './value-type.ts';

/** Why a function must not be imported, in words for the plugin's author; null when it may. */
export const importRefusalOf = (module: string, name: string, type: FunctionType): string | null => {
  if (module === ENVIRONMENT_MODULE) {
    if (!Object.hasOwn(ENVIRONMENT_FUNCTIONS, name))
      return unknownName(module, name, Object.keys(ENVIRONMENT_FUNCTIONS));
    return typeRefusal(name, type, ENVIRONMENT_FUNCTIONS[name as EnvironmentFunctionName]);
  }
  if (module === HOST_MODULE) {
    if (!isHostFunctionName(name)) return unknownName(module, name, HOST_FUNCTIONS);
    return typeRefusal(name, type, HOST_FUNCTION_TYPES[name]);
  }
  return `imports ${JSON.stringify(name)} from ${JSON.stringify(module)}; ${adviceFor(module, name)}`;
};

const typeRefusal = (name: string, given: FunctionType, wanted: FunctionType): string | null => {
  const [found, expected] = [describeFunctionType(given), describeFunctionType(wanted)];
  return found === expected ? null : `imports ${JSON.stringify(name)} as ${found}; its type is ${expected}`;
};

const unknownName = (module: string, name: string, known: readonly string[]): string => {
  const near = suggestName(name, known);
  const hint = near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  return `imports ${JSON.stringify(name)} from ${JSON.stringify(module)}, which does not have it.${hint} It has: ${known.join(', ')}`;
};

const adviceFor = (module: string, name: string): string => {
  const allowed = `only functions of ${JSON.stringify(ENVIRONMENT_MODULE)} and ${JSON.stringify(HOST_MODULE)} can be imported`;
  if (module.startsWith('wasi'))
    return `there is no WASI: ${allowed}. Build for a target without it (wasm32-unknown-unknown)`;
  if (module === 'env' && name === 'abort')
    return `${allowed}. In AssemblyScript, map it: --use abort=<file>/<function>`;
  if (module === 'env') return `${allowed}. A linker leaves names in "env" that it could not find`;
  return allowed;
};
