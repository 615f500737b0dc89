import { stopReasonOf } from '../../src/lib/deadline.ts';
import type {
  HostAnswer,
  HostFunctionName,
  SandboxModule,
  SandboxOutcome,
  SandboxRun,
  SandboxUsage,
  WasmSandbox,
} from '../../src/ports/wasm-sandbox.ts';
import { HostMisuse } from '../../src/ports/wasm-sandbox.ts';

export const USAGE: SandboxUsage = { fuel: 10, memoryPages: 1, droppedLogBytes: 0 };

/** What a guest does, written in TypeScript: it calls the host and leaves an output. */
export type GuestScript = (guest: Guest) => Promise<unknown>;

export type Guest = {
  readonly run: SandboxRun;
  /** The input of the call, as JSON. */
  readonly input: { readonly arguments: Record<string, unknown>; readonly context: Record<string, unknown> };
  /** A text is sent as it is, anything else as JSON. */
  host(name: HostFunctionName, request: unknown, bytes?: Uint8Array): Promise<HostAnswer>;
};

export const sandboxModule = (digest = 'a'.repeat(64)): SandboxModule => ({ digest, bytes: null, compiled: null });

export const output = (payload: unknown): SandboxOutcome => ({
  type: 'output',
  bytes: new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  usage: USAGE,
});

/** A sandbox that has no WebAssembly in it: its runs are decided by a function. */
export const scriptedSandbox = (decide: (run: SandboxRun) => Promise<SandboxOutcome> | SandboxOutcome) => {
  const forgotten: string[] = [];
  const runs: SandboxRun[] = [];
  const sandbox: WasmSandbox = {
    run: async (run) => {
      runs.push(run);
      return await decide(run);
    },
    forget: ({ digest }) => void forgotten.push(digest),
    stats: () => ({ workers: 3, idle: 2, recycled: 5 }),
    close: () => Promise.resolve(),
  };
  return { sandbox, forgotten, runs };
};

/** A sandbox whose guests are scripts; they keep the rules of the port as a real one does. */
export const guestSandbox = (script: GuestScript) =>
  scriptedSandbox(async (run) => {
    const guest: Guest = {
      run,
      input: JSON.parse(new TextDecoder().decode(run.input)) as Guest['input'],
      host: async (name, request, bytes) => {
        const refusal = run.host.refusalOf(name);
        if (refusal !== null) return { error: { code: 'FORBIDDEN', message: refusal } };
        const text = typeof request === 'string' ? request : JSON.stringify(request);
        return await run.host.call({ name, request: text, bytes: bytes ?? null }, run.signal);
      },
    };
    try {
      return output(await script(guest));
    } catch (error) {
      if (run.signal.aborted) return { type: 'stopped', reason: stopReasonOf(run.signal), usage: USAGE };
      if (!(error instanceof HostMisuse)) throw error;
      return { type: 'fault', fault: 'host-misuse', message: error.message, usage: USAGE };
    }
  });
