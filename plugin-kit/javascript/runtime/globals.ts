// Globals that libraries expect and the engine does not have. Imported before the plugin.
import { console } from './console.ts';
import { seededRandom } from './random.ts';
import { TextDecoder, TextEncoder } from './text-coding.ts';

const define = (name: string, value: unknown): void => {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
};

define('console', console);
define('TextEncoder', TextEncoder);
define('TextDecoder', TextDecoder);
// The engine's own generator would go on from where it stood when the plugin was built, the same in every call.
let random = seededRandom(0);
Math.random = () => random();

/** From the `seed` of each call. */
export function seedRandom(seed: number): void {
  random = seededRandom(seed);
}
