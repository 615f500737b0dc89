import { createPlugin } from '@extism/extism';
import { readFileSync } from 'node:fs';
import { HOST_FUNCTIONS, type HostFunctionName } from '../../src/ports/wasm-sandbox.ts';

/** One call of a host function as the guest made it. */
export type GuestCall = {
  readonly name: HostFunctionName;
  readonly request: unknown;
  readonly bytes: Uint8Array | null;
};

/** What the host of a test answers: JSON, and bytes that go with it. */
export type GuestHost = (call: GuestCall) => { readonly answer: object; readonly bytes?: Uint8Array };

const refuseAll: GuestHost = ({ name }) => ({ answer: { error: { code: 'FORBIDDEN', message: `no ${name} here` } } });

/** What Extism hands to a host function: the blocks of the call. */
type Blocks = {
  read(block: bigint): { text(): string; bytes(): Uint8Array } | null;
  store(value: string | Uint8Array): bigint;
};

/** Runs guests by Extism alone, without limits: what a plugin computes, apart from how it is kept in bounds. */
export const guestOf = (file: string | URL) => {
  const module = new WebAssembly.Module(readFileSync(file));
  return async (input: object, host: GuestHost = refuseAll): Promise<unknown> => {
    const functions = Object.fromEntries(
      HOST_FUNCTIONS.map((name) => [
        name,
        (blocks: Blocks, request: bigint, bytes = 0n) => {
          const { answer, bytes: more } = host({
            name,
            request: JSON.parse(blocks.read(request)?.text() ?? ''),
            // A copy: the guest frees the block.
            bytes: bytes === 0n ? null : Uint8Array.from(blocks.read(bytes)?.bytes() ?? []),
          });
          const place = more === undefined ? {} : { bytes: { block: Number(blocks.store(more)), length: more.length } };
          return blocks.store(JSON.stringify({ ...answer, ...place }));
        },
      ]),
    );
    const plugin = await createPlugin(
      { wasm: [{ module }] },
      { functions: { 'extism:host/user': functions as never } },
    );
    try {
      const output = await plugin.call('invoke', JSON.stringify(input));
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(output?.bytes()));
    } finally {
      await plugin.close();
    }
  };
};

/** The input of a call of a plugin, as the host makes it. */
export const guestInput = (command: string, args: object, context: object = {}): object => ({
  command,
  arguments: args,
  context: { now: '2026-11-30T16:20:00.000Z', timeZone: 'Europe/Berlin', seed: 42, ...context },
});
