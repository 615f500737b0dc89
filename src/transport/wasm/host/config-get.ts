import { z } from 'zod';
import type { JsonBounds } from '../../../lib/check-json-value.ts';
import { schemaProperties } from '../../../lib/schema-properties.ts';
import type { TransportCall } from '../../../ports/transport.ts';
import { failed, type HostFunction } from './host-function.ts';
import { readRequest } from './read-request.ts';

const ConfigGet = z.strictObject({ key: z.string().min(1).max(128) });

/**
 * The declared configuration, as texts. An argument of the same name goes before it, where the command has one: what a
 * caller sends beside the declared arguments sets nothing.
 */
export const createConfigGet = ({
  keys,
  values,
  call: { command, arguments: args },
  bounds,
  onValue,
}: {
  readonly keys: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly call: Pick<TransportCall, 'command' | 'arguments'>;
  readonly bounds: JsonBounds;
  /** Hears what the guest got to know. */
  onValue(key: string, value: string): void;
}): HostFunction => {
  const valueOf = (key: string): string | null => {
    const argument = Object.hasOwn(schemaProperties(command.inputSchema), key) ? args[key] : undefined;
    if (argument !== undefined && argument !== null)
      return typeof argument === 'string' ? argument : JSON.stringify(argument);
    return Object.hasOwn(values, key) ? (values[key] as string) : null;
  };

  return async (call) => {
    const { key } = readRequest(call, ConfigGet, bounds);
    if (!keys.includes(key))
      return failed(
        'FORBIDDEN',
        `the configuration ${JSON.stringify(key)} is not granted; add it to permissions.config`,
      );
    const value = valueOf(key);
    if (value !== null) onValue(key, value);
    return { ok: { value } };
  };
};
