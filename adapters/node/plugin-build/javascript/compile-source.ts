import { PluginBuildError } from '../build-report.ts';
import { BUNDLE_NAME } from './bundle-source.ts';
import { engineText } from './engine-text.ts';
import type { Engine } from './engine.ts';

/** The text of functions is not needed; the numbers of their lines are, for stacks. */
const STRIP_SOURCE = 1 << 4;
const SCRIPT = 0;

/**
 * The engine's own code for a script.
 *
 * @throws PluginBuildError when the script is no JavaScript that the engine understands.
 */
export const compileSource = (engine: Engine, script: string): Uint8Array => {
  const text = engineText(engine);
  const source = text.writeBytes(new TextEncoder().encode(`${script}\0`));
  const length = new TextEncoder().encode(script).length;
  const lengthAt = text.writeBytes(new Uint8Array(4));
  const code = engine.call('qjs_compile', source, length, text.write(BUNDLE_NAME), SCRIPT, STRIP_SOURCE, lengthAt);
  if (code === 0) throw new PluginBuildError(`the engine cannot read the bundle: ${text.takeException()}`);
  const view = new DataView(engine.memory.buffer);
  return new Uint8Array(engine.memory.buffer).slice(code, code + view.getUint32(lengthAt, true));
};
