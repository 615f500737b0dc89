import type { HostFunctionName } from '../../ports/wasm-sandbox.ts';
import { FUEL_COSTS } from './fuel-costs.ts';
import { GuestFault } from './guest-fault.ts';
import type { HostFunction } from './env-functions.ts';
import type { GuestAnswer, GuestState } from './guest-state.ts';

const NOTHING: GuestAnswer = { text: '{"ok":null}', bytes: null };

/**
 * Those functions of `extism:host/user` that a module imports: the guest waits in them, by JavaScript Promise Integration, until the host has
 * answered. What is not granted is answered here, without asking anybody.
 */
export const userFunctions = (
  state: GuestState,
  imported: readonly HostFunctionName[],
): Record<string, HostFunction> => {
  const { blocks, fuel } = state;

  const leave = ({ text, bytes }: GuestAnswer): bigint => {
    fuel.charge(FUEL_COSTS.block + (text.length + (bytes?.byteLength ?? 0)) * FUEL_COSTS.byte);
    if (bytes === null) return blocks.adopt(new TextEncoder().encode(text));
    const { byteLength } = bytes;
    const block = blocks.adopt(bytes);
    // `text` is a JSON object that is not empty.
    const withBytes = `${text.slice(0, -1)},"bytes":{"block":${block},"length":${byteLength}}}`;
    return blocks.adopt(new TextEncoder().encode(withBytes));
  };

  const call =
    (name: HostFunctionName) =>
    // Extism makes a function one that the guest waits in when it is `async`.
    async (_: unknown, request: bigint, body?: bigint): Promise<bigint> => {
      const { run } = state;
      if (run === null) throw new GuestFault('host-misuse', `${name} was called while the module started`);
      const refusal = run.request.refusals[name];
      if (refusal !== null) {
        fuel.charge(FUEL_COSTS.refusal);
        const error = { code: 'FORBIDDEN', message: refusal ?? `${name} is not granted` };
        return leave({ text: JSON.stringify({ error }), bytes: null });
      }
      const text = requestText(blocks.bytesFrom(request, `the request of ${name}`), name);
      const bytes = body === undefined || body === 0n ? null : blocks.bytesFrom(body, `the bytes of ${name}`).slice();
      fuel.charge(FUEL_COSTS.hostCall + (text.length + (bytes?.byteLength ?? 0)) * FUEL_COSTS.byte);
      if (name === 'log' && !state.log.admit(text.length)) return leave(NOTHING);
      return leave(await run.channel.call({ name, request: text, bytes }));
    };

  return Object.fromEntries(imported.map((name) => [name, call(name)]));
};

const requestText = (bytes: Uint8Array, name: HostFunctionName): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new GuestFault('host-misuse', `the request of ${name} is not UTF-8`);
  }
};
