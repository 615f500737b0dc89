import { parseAddressRange } from '../../src/lib/address-policy.ts';
import type { Limits } from '../../src/lib/limits.ts';
import { redactText } from '../../src/policy/sensitive-text.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { GuardedFetch } from '../../src/ports/guarded-fetch.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { PluginKvStore } from '../../src/ports/plugin-kv-store.ts';
import type { PluginLocation, TransportAdapter } from '../../src/ports/transport.ts';
import type { WasmSandbox } from '../../src/ports/wasm-sandbox.ts';
import type { Configuration } from '../../src/server/configuration.ts';
import { createWasmTransport, type SandboxModules } from '../../src/transport/wasm/wasm-transport.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

export type WasmHostOptions = {
  readonly configuration: Pick<Configuration, 'VCP_OPEN_NETWORKS'>;
  readonly values: PluginKvStore;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Directories that the log does not name; read at each line, since they become more. */
  readonly knownPaths: readonly string[];
  /** IANA time zone that guests are told. */
  readonly timeZone: string;
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
};

/** What WebAssembly plugins reach on Node and Deno, around whatever sandbox runs them. */
export const openWasmHost = (
  options: WasmHostOptions,
): {
  transportOver(sandbox: WasmSandbox, modules: SandboxModules): TransportAdapter;
  /** The guarded fetch, with the networks that the operator opened; it is the server's own as well. */
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
} => {
  const { configuration, knownPaths, clock, values, limits, logger, timeZone, configurationOf } = options;
  const guarded = createGuardedFetch({
    allowed: configuration.VCP_OPEN_NETWORKS.flatMap((text) => parseAddressRange(text) ?? []),
  });
  return {
    transportOver: (sandbox, modules) =>
      createWasmTransport({
        sandbox,
        modules,
        limits,
        values,
        logger,
        configurationOf,
        fetch: guarded.fetch,
        now: clock.now,
        redact: (text) => redactText(text, knownPaths)?.text ?? text,
        timeZone,
        seed: () => crypto.getRandomValues(new Uint32Array(1))[0] as number,
      }),
    fetch: guarded.fetch,
    close: guarded.close,
  };
};
