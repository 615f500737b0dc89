import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverRoot } from '../../server-root.ts';

/** Where the parts of the kit lie that a plugin in JavaScript is built from. */
export const JAVASCRIPT_KIT = join(serverRoot, 'plugin-kit', 'javascript');

/** What the build uses of the engine; scripts/build-javascript-engine.ts leaves nothing else in it. */
export const ENGINE_EXPORTS = [
  'memory',
  '_initialize',
  '__stack_pointer',
  // The engine's own.
  'wasm_malloc',
  'wasm_free',
  'qjs_init',
  'qjs_set_max_stack_size',
  'qjs_compile',
  'qjs_eval_bytecode',
  'qjs_execute_pending_job',
  'qjs_run_gc',
  'qjs_get_global',
  'qjs_new_object',
  'qjs_set_prop_string',
  'qjs_get_prop_string',
  'qjs_new_host_function',
  'qjs_is_exception',
  'qjs_get_exception',
  'qjs_get_string_len',
  'qjs_free_cstring',
  'qjs_free_value',
  // The bridge's, plugin-kit/javascript/engine/bridge.ts.
  'set_up',
  'invoke',
  'run',
  'finish',
  'scratch',
  'failed',
  // And its clock's.
  'now',
  'asked',
] as const;

/** Of the engine's own stack. JavaScript that recurses deeper gets a RangeError, before the sandbox ends the call. */
const STACK_BYTES = 256 * 1024;

type EngineFunction = (...args: number[]) => number;

/** The engine, ready to be called. Pointers are numbers. */
export type Engine = {
  readonly memory: WebAssembly.Memory;
  readonly globals: ReadonlyMap<string, number | bigint>;
  call(name: (typeof ENGINE_EXPORTS)[number], ...args: number[]): number;
};

export const readEngine = (): Promise<Uint8Array<ArrayBuffer>> =>
  readFile(join(JAVASCRIPT_KIT, 'engine', 'engine.wasm')).then((bytes) => new Uint8Array(bytes));

/** A new instance. Whatever it asks of the host is refused: there is none while a plugin is built. */
export const startEngine = (module: WebAssembly.Module, refuse: () => never): Engine => {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = refuse;
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const engine: Engine = {
    memory: exports['memory'] as WebAssembly.Memory,
    // Read when they are asked for: they change.
    get globals() {
      const values = Object.entries(exports).filter(([, value]) => value instanceof WebAssembly.Global);
      return new Map(values.map(([name, value]) => [name, (value as WebAssembly.Global).value as number | bigint]));
    },
    call: (name, ...args) => (exports[name] as EngineFunction)(...args),
  };
  engine.call('_initialize');
  engine.call('set_up');
  if (engine.call('qjs_init') !== 0) throw new Error('the JavaScript engine did not start');
  engine.call('qjs_set_max_stack_size', STACK_BYTES);
  return engine;
};
