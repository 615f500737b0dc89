import { createPlugin, type Plugin } from '@extism/extism';
import type { SandboxModule, WasmSandbox } from '../../src/ports/wasm-sandbox.ts';
import { sandboxRun } from '../../test/support/sandbox-run.ts';

/** The same guest, as it is and as the sandbox has it. */
export interface BenchGuest {
  name: string;
  original: Uint8Array<ArrayBuffer>;
  sandboxed: SandboxModule;
  input: Uint8Array;
  output: string;
}

export interface OpenContender {
  call(): Promise<string>;
  close(): Promise<void>;
}

export interface Contender {
  label: string;
  open(guest: BenchGuest, sandbox: WasmSandbox): Promise<OpenContender>;
}

const decoder = new TextDecoder();

async function callExtism(plugin: Plugin, { input }: BenchGuest): Promise<string> {
  const output = await plugin.call('invoke', input);
  return output === null ? '' : decoder.decode(output.bytes());
}

export const contenders: readonly Contender[] = [
  {
    label: 'Extism, one instance for all calls',
    open: async (guest) => {
      const plugin = await createPlugin({ wasm: [{ module: await WebAssembly.compile(guest.original) }] });
      return { call: () => callExtism(plugin, guest), close: () => plugin.close() };
    },
  },
  {
    label: 'Extism, a fresh instance a call',
    open: async (guest) => {
      const module = await WebAssembly.compile(guest.original);
      const call = async (): Promise<string> => callExtism(await createPlugin({ wasm: [{ module }] }), guest);
      return { call, close: () => Promise.resolve() };
    },
  },
  {
    label: 'Extism, `runInWorker`, one instance for all calls',
    open: async (guest) => {
      const module = await WebAssembly.compile(guest.original);
      const plugin = await createPlugin({ wasm: [{ module }] }, { runInWorker: true });
      return { call: () => callExtism(plugin, guest), close: () => plugin.close() };
    },
  },
  {
    label: 'ours: a fresh instance a call in a thread, all limits',
    open: (guest, sandbox) => {
      const { input, sandboxed } = guest;
      return Promise.resolve({
        call: async () => {
          const outcome = await sandbox.run(sandboxRun(sandboxed, { input }));
          if (outcome.type !== 'output') throw new Error(JSON.stringify(outcome));
          return decoder.decode(outcome.bytes);
        },
        close: () => Promise.resolve(),
      });
    },
  },
];
