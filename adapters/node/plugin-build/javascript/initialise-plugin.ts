import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../../../src/lib/limits.ts';
import { parseJson } from '../../../../src/lib/parse-json.ts';
import { PluginBuildError } from '../build-report.ts';
import { withAdvice } from '../../../../plugin-kit/javascript/runtime/absent-globals.ts';
import { withSourceLines } from '../../../../plugin-kit/javascript/runtime/source-lines.ts';
import type { Bundle } from './bundle-source.ts';
import { startEngine, type Engine } from './engine.ts';
import { compileSource } from './compile-source.ts';
import { engineText } from './engine-text.ts';
import type { Snapshot } from './snapshot-module.ts';
import { wipeFreeMemory } from './wipe-free-memory.ts';

/** The letters that plugin-kit/javascript/engine/bridge.ts answers to. */
const NATIVE_FUNCTIONS = 'cbioendus';

/** Where the bundle finds them (plugin-kit/javascript/runtime/native.ts). */
const NATIVE_OBJECT = 'vcpNative';

/** Where it says which commands it answers (plugin-kit/javascript/runtime/serve.ts). */
const HANDLERS = 'vcpHandlers';

export type InitialisedPlugin = {
  readonly snapshot: Snapshot;
  /** The commands that have a function of their own; null when one function answers all. */
  readonly handlers: readonly string[] | null;
};

/**
 * Runs a bundle once, as far as its own top level goes, and tells the state that the engine is in then.
 *
 * @throws PluginBuildError with what the bundle threw.
 */
export const initialisePlugin = (module: WebAssembly.Module, { script, lines }: Bundle): InitialisedPlugin => {
  const bytecode = compileSource(startEngine(module, refuse), script);
  // A second engine: its memory holds nothing of what the compiler left behind.
  const engine = startEngine(module, refuse);
  const text = engineText(engine);
  giveNativeFunctions(engine);
  const askedBefore = engine.globals.get('asked');
  const code = text.writeBytes(bytecode);
  const result = engine.call('qjs_eval_bytecode', code, bytecode.length);
  text.wipe(code, bytecode.length);
  if (engine.call('qjs_is_exception', result) !== 0) throw topLevelFault(withSourceLines(text.takeException(), lines));
  engine.call('qjs_free_value', result);
  for (let ran = 1; ran > 0;) {
    ran = engine.call('qjs_execute_pending_job');
    if (ran < 0) throw topLevelFault(withSourceLines(text.takeException(), lines));
  }
  const { globals } = engine;
  if (globals.get('run') === 0)
    throw new PluginBuildError('the plugin ended before it was ready; is an import missing?');
  if (globals.get('asked') !== askedBefore) throw new PluginBuildError(CLOCK);
  const handlers = readHandlers(text.readGlobal(HANDLERS));
  engine.call('qjs_run_gc');
  wipeFreeMemory(engine);
  const snapshot: Snapshot = {
    memory: new Uint8Array(engine.memory.buffer.slice(0)),
    heapStart: Number(globals.get('__stack_pointer')),
    globals: engine.globals,
  };
  return { snapshot, handlers };
};

/** The plugin's own code can have put anything there. */
const readHandlers = (told: string): readonly string[] | null => {
  const parsed = parseJson(told, DEFAULT_LIMITS);
  const read = z
    .array(z.string())
    .nullable()
    .safeParse(parsed.ok ? parsed.value : undefined);
  if (!read.success) throw new PluginBuildError(`the plugin changed ${HANDLERS}, by which it tells its commands`);
  return read.data;
};

const CLOCK =
  'the top level of the plugin, or of a library, asks for the time. It runs once, when the plugin is built: ' +
  'ask in a handler (call.now)';

const giveNativeFunctions = (engine: Engine): void => {
  const text = engineText(engine);
  const holder = engine.call('qjs_new_object');
  for (const letter of NATIVE_FUNCTIONS) {
    const name = text.write(letter);
    const native = engine.call('qjs_new_host_function', name, 1, 3);
    engine.call('qjs_set_prop_string', holder, name, native);
    engine.call('qjs_free_value', native);
    text.wipe(name, 2);
  }
  const scope = engine.call('qjs_get_global');
  const name = text.write(NATIVE_OBJECT);
  engine.call('qjs_set_prop_string', scope, name, holder);
  text.wipe(name, NATIVE_OBJECT.length + 1);
  engine.call('qjs_free_value', holder);
  engine.call('qjs_free_value', scope);
};

const refuse = (): never => {
  throw new PluginBuildError(
    'the top level of the plugin calls the host. It runs once, when the plugin is built: call the host in a handler',
  );
};

const topLevelFault = (exception: string): PluginBuildError => {
  const [first = '', ...stack] = exception.split('\n');
  const said = [first.replace(/^(\w+: )?(.*)$/, (_, name = '', message) => name + withAdvice(message)), ...stack];
  return new PluginBuildError(`the top level of the plugin failed when it was run for the build:\n${said.join('\n')}`);
};
