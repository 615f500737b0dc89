import type { CreatePlugin } from '../../src/sandbox/guest/prepare-guest.ts';

/** JavaScript Promise Integration, which the library of types does not know yet. */
const { Suspending } = WebAssembly as unknown as {
  Suspending: new (work: (...values: never[]) => unknown) => WebAssembly.ImportValue;
};

const AsyncFunction = (async () => undefined).constructor;

/**
 * Links a guest as Extism does in its foreground, for a module that is linked with nothing else: the part of it that a
 * worker needs, where the whole is 50 kB of each deployment. Functions that are `async` are those a guest waits in.
 */
export const linkGuest: CreatePlugin = async ({ wasm: [main] }, { functions }) => {
  if (main === undefined) throw new Error('there is no module to link');
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module, name } of WebAssembly.Module.imports(main.module)) {
    const given = functions[module];
    const work = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
    if (work === undefined) throw new Error(`nothing is there to import as "${module}" "${name}"`);
    // The first parameter is the plugin's in Extism's own; ours look at none.
    const bound = work.bind(null, null) as (...values: never[]) => unknown;
    imports[module] ??= {};
    imports[module][name] = work.constructor === AsyncFunction ? new Suspending(bound) : bound;
  }
  const instance = await WebAssembly.instantiate(main.module, imports);
  const {
    hs_init: haskell,
    _initialize: reactor,
    _start: command,
  } = instance.exports as Partial<Record<string, () => unknown>>;
  // What languages want to have called before anything else.
  if (haskell !== undefined) haskell();
  else {
    reactor?.();
    if (reactor === undefined) command?.();
  }
  return { getInstance: () => Promise.resolve(instance) };
};
