import { HOST_FUNCTIONS, type HostFunctionName, type SandboxUsage } from '../../ports/wasm-sandbox.ts';
import { ENVIRONMENT_MODULE, HOST_MODULE } from '../guest-imports.ts';
import { PAGE_BYTES } from '../page-bytes.ts';
import { DENIED_EXPORT, FUEL_EXPORT, MEMORY_EXPORT } from '../sandbox-exports.ts';
import { envFunctions, type HostFunction } from './env-functions.ts';
import { EXTISM_HTTP, faultOf, type GuestMarks } from './fault-of.ts';
import { GuestFault } from './guest-fault.ts';
import {
  createGuestState,
  type GuestChannel,
  type GuestEnd,
  type GuestRequest,
  type GuestState,
} from './guest-state.ts';
import { userFunctions } from './user-functions.ts';

/** The part of `@extism/extism` that links and instantiates a module; foreground only. */
export type CreatePlugin = (
  manifest: { wasm: { module: WebAssembly.Module }[] },
  options: {
    functions: Record<string, Record<string, HostFunction>>;
    config: Record<string, string>;
    fetch: typeof fetch;
  },
) => Promise<{ getInstance(): Promise<WebAssembly.Instance> }>;

/** A fresh instance that has served nobody. It serves one run and is thrown away. */
export type Guest = {
  /** Of its own memory. */
  readonly bytes: number;
  run(request: GuestRequest, channel: GuestChannel): Promise<GuestEnd>;
};

/** What instrumentation has added to the exports of a module, and its memory. */
type Instrumented = {
  readonly exports: WebAssembly.Exports;
  readonly memory: WebAssembly.Memory | undefined;
  readonly fuel: WebAssembly.Global<'i64'>;
  readonly denied: WebAssembly.Global<'i32'>;
};

/** JavaScript Promise Integration, which the library of types does not know yet. */
const { promising } = WebAssembly as unknown as { promising(entry: () => unknown): () => Promise<unknown> };

const NO_MARKS: GuestMarks = { isOutOfFuel: false, wasDenied: false };

/** Why no guest could be made of a module. */
export class GuestNotStarted extends Error {
  override readonly name = 'GuestNotStarted';
  readonly end: GuestEnd;

  constructor(end: GuestEnd & { readonly type: 'fault' }) {
    super(end.message);
    this.end = end;
  }
}

/** The functions of ours that a module imports. */
export const importedFunctions = (module: WebAssembly.Module): HostFunctionName[] => {
  const names = new Set(
    WebAssembly.Module.imports(module).map((wanted) => wanted.module === HOST_MODULE && wanted.name),
  );
  return HOST_FUNCTIONS.filter((name) => names.has(name));
};

/** Links and starts a module. Raises `GuestNotStarted` when its start does not come to its end. */
export const prepareGuest = async (module: WebAssembly.Module, createPlugin: CreatePlugin): Promise<Guest> => {
  const state = createGuestState();
  const imported = importedFunctions(module);
  let instance: WebAssembly.Instance;
  try {
    const plugin = await createPlugin(
      { wasm: [{ module }] },
      {
        ...OPTIONS,
        functions: { [ENVIRONMENT_MODULE]: envFunctions(state), [HOST_MODULE]: userFunctions(state, imported) },
      },
    );
    instance = await plugin.getInstance();
  } catch (error) {
    const failure = faultOf(error, NO_MARKS);
    const usage = { fuel: null, memoryPages: null, droppedLogBytes: 0 };
    // Its counter cannot be reached, so a trap may also be the end of the little fuel that a start has.
    throw new GuestNotStarted({ type: 'fault', ...failure, message: `while it started: ${failure.message}`, usage });
  }
  const guest = instrumented(instance);
  return {
    bytes: guest.memory?.buffer.byteLength ?? 0,
    run: (request, channel) => run(guest, state, imported.length > 0, request, channel),
  };
};

/** Extism must not reach the network by itself: that is what the permission `http` is for. */
const OPTIONS = {
  config: Object.create(null) as Record<string, string>,
  fetch: () => Promise.reject(new GuestFault('host-misuse', EXTISM_HTTP)),
};

const instrumented = ({ exports }: WebAssembly.Instance): Instrumented => ({
  exports,
  memory: exports[MEMORY_EXPORT] as WebAssembly.Memory | undefined,
  fuel: exports[FUEL_EXPORT] as WebAssembly.Global<'i64'>,
  denied: exports[DENIED_EXPORT] as WebAssembly.Global<'i32'>,
});

const run = async (
  { exports, memory, fuel, denied }: Instrumented,
  state: GuestState,
  waits: boolean,
  request: GuestRequest,
  channel: GuestChannel,
): Promise<GuestEnd> => {
  const { exportName, input, limits } = request;
  const usage = (): SandboxUsage => ({
    fuel: Math.max(0, Math.min(limits.fuel, limits.fuel - state.fuel.left())),
    memoryPages: (memory?.buffer.byteLength ?? 0) / PAGE_BYTES,
    droppedLogBytes: state.log.droppedBytes,
  });
  try {
    state.fuel.connect(fuel, limits.fuel);
    state.log.limit(limits.logBytes);
    state.blocks.limit(limits.hostBytes);
    state.inputAddress = state.blocks.adopt(input);
    state.input = new DataView(input.buffer, input.byteOffset, input.byteLength);
    state.run = { request, channel };
    const entry = entryOf(exports, exportName);
    const code = await (waits ? promising(entry)() : entry());
    const bytes = answerOf(state, code);
    // What the host did for it at last is owed still.
    if (state.fuel.left() < 0) throw new GuestFault('out-of-fuel', 'the fuel of this call is used up');
    return { type: 'output', bytes, usage: usage() };
  } catch (error) {
    const marks = { isOutOfFuel: state.fuel.left() < 0, wasDenied: denied.value !== 0 };
    return { type: 'fault', ...faultOf(reasonOf(error, state), marks), usage: usage() };
  }
};

const entryOf = (exports: WebAssembly.Exports, name: string): (() => unknown) => {
  const entry = Object.hasOwn(exports, name) ? exports[name] : undefined;
  if (typeof entry !== 'function') throw new GuestFault('missing-export', `it exports no function "${name}"`);
  if (entry.length > 0) throw new GuestFault('missing-export', `its export "${name}" must take no parameters`);
  return entry as () => unknown;
};

/** A guest that traps on purpose says why first: `abort` of AssemblyScript does. */
const reasonOf = (error: unknown, state: GuestState): unknown => {
  if (!(error instanceof WebAssembly.RuntimeError) || state.error === 0n) return error;
  try {
    return new GuestFault('guest-error', errorText(state));
  } catch {
    // It has freed the text since.
    return error;
  }
};

const errorText = ({ blocks, error }: GuestState): string =>
  new TextDecoder().decode(blocks.bytesFrom(error, 'the error'));

/** Extism's convention: 0 is success, and an error that was set is none. */
const answerOf = (state: GuestState, code: unknown): Uint8Array<ArrayBuffer> => {
  const { blocks, error, output } = state;
  if (error !== 0n) throw new GuestFault('guest-error', errorText(state));
  if (code !== undefined && code !== 0) throw new GuestFault('guest-error', 'it failed without an error text');
  if (output === null) return new Uint8Array();
  return blocks.bytesFrom(output.address, 'the output').slice(0, output.length) as Uint8Array<ArrayBuffer>;
};
