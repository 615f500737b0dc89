import { z } from 'zod';
import { parseJson } from '../../../lib/parse-json.ts';
import type { WasmLimits } from '../wasm-limits.ts';
import type { PluginKvStore } from '../../../ports/plugin-kv-store.ts';
import type { PluginPermissions } from '../../../protocol/permissions.ts';
import { failed, type HostFunction } from './host-function.ts';
import type { HostMeter } from './host-meter.ts';
import { readRequest } from './read-request.ts';

const Key = z
  .string()
  .min(1)
  .max(512)
  .regex(/^\P{Cc}*$/u, { error: 'must have no control characters' });
const KvGet = z.strictObject({ key: Key });
const KvSet = z.strictObject({
  key: Key,
  value: z.unknown().refine((value) => value !== undefined, { error: 'is required' }),
});

/** A character of JSON text is a byte of the value, or six of them are where it is escaped; and there is the key. */
const longestRequest = (maxBytes: number): number => 6 * (maxBytes + 1_024);

/** Values in a request, which may be one that is kept. */
const MOST_NODES = 100_000;

/** What a plugin keeps from call to call. `KV_FULL` when there is no room: nothing has changed then. */
export const createKvFunctions = ({
  plugin,
  permission,
  limits,
  values,
  charge,
}: {
  readonly plugin: string;
  readonly permission: PluginPermissions['kv'];
  readonly limits: WasmLimits;
  readonly values: PluginKvStore;
  readonly charge: HostMeter['charge'];
}): { readonly get: HostFunction; readonly set: HostFunction } => {
  const asked = typeof permission === 'object' ? permission.bytes : undefined;
  const maxBytes = Math.min(limits.wasmKvBytes, asked ?? limits.wasmKvBytes);

  return {
    get: async (call) => {
      const { key } = readRequest(call, KvGet, limits);
      const text = await values.get(plugin, key);
      if (text === null) return { ok: { value: null } };
      charge(text.length);
      const parsed = parseJson(text, limits);
      // It was kept under wider limits than there are now.
      if (!parsed.ok) return failed('KV_UNREADABLE', `the value of the key ${parsed.issue.message}`);
      return { ok: { value: parsed.value } };
    },
    set: async (call) => {
      const full = failed(
        'KV_FULL',
        `all values of the plugin may have ${maxBytes} bytes together; remove some, or keep less`,
      );
      const longest = longestRequest(maxBytes);
      // Not even read: it cannot fit.
      if (call.request.length > longest) return full;
      const { key, value } = readRequest(call, KvSet, limits, { mostCharacters: longest, mostNodes: MOST_NODES });
      if (value === null) {
        await values.remove(plugin, key);
        return { ok: null };
      }
      return (await values.set(plugin, key, JSON.stringify(value), maxBytes)) ? { ok: null } : full;
    },
  };
};
