import { boundLogger, type Logger } from '../../../ports/logger.ts';
import type { GuardedFetch } from '../../../ports/guarded-fetch.ts';
import type { PluginKvStore } from '../../../ports/plugin-kv-store.ts';
import type { PluginLocation, TransportCall } from '../../../ports/transport.ts';
import {
  HostMisuse,
  type HostFunctionName,
  type SandboxHost,
  type SandboxLimits,
} from '../../../ports/wasm-sandbox.ts';
import { ProgressReport } from '../../../protocol/stdio-frame.ts';
import type { WasmLimits } from '../wasm-limits.ts';
import { createConfigGet } from './config-get.ts';
import { failed, type HostFunction } from './host-function.ts';
import { createHttpRequest } from './http-request.ts';
import { createKvFunctions } from './kv-functions.ts';
import { createLogFunction } from './log-function.ts';
import { permissionRefusal } from './permission-refusal.ts';
import { readRequest } from './read-request.ts';
import { createHostMeter } from './host-meter.ts';
import { createResourceFunctions } from './resource-functions.ts';

/** What the host functions are made of. */
export type SandboxHostPorts = {
  readonly fetch: GuardedFetch;
  readonly values: PluginKvStore;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The declared configuration of a plugin. */
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
  /** Takes secrets out of what goes to the log. */
  redact(text: string): string;
};

export type CallSandboxHost = SandboxHost & {
  /** Bytes of log lines that there was no room for. */
  droppedLogBytes(): number;
};

/** Names of configuration whose values stay out of the log. */
const SECRET_NAME = /key|token|secret|pass|credential|auth/i;
/** A shorter text would be found everywhere. */
const LEAST_SECRET = 4;

/** What one call of a plugin reaches: the host functions that its manifest has the permissions for, and nothing else. */
export const createSandboxHost = (
  call: TransportCall,
  { limits, run }: { readonly limits: WasmLimits; readonly run: SandboxLimits },
  ports: SandboxHostPorts,
): CallSandboxHost => {
  const { manifest } = call.plugin;
  const { permissions = {}, name: toolName } = manifest;
  const secrets = new Set<string>();
  const log = createLogFunction({
    logger: boundLogger(ports.logger, { invocationId: call.invocationId, requestId: call.requestId, toolName }),
    logBytes: run.logBytes,
    bounds: limits,
    redact: (text) =>
      ports.redact([...secrets].reduce((kept, secret) => kept.replaceAll(secret, '[redacted: secret]'), text)),
  });
  const resources = createResourceFunctions({
    writer: call.resourceWriter,
    reader: call.resourceReader,
    limits,
    maxReadBytes: Math.floor(run.hostBytes / 2),
  });
  const meter = createHostMeter({ calls: limits.wasmHostCalls, bytes: run.hostBytes });
  const kv = createKvFunctions({
    plugin: toolName,
    permission: permissions.kv,
    limits,
    values: ports.values,
    charge: meter.charge,
  });
  const functions: Readonly<Record<HostFunctionName, HostFunction>> = {
    log: log.log,
    resource_write: resources.write,
    resource_read: resources.read,
    kv_get: kv.get,
    kv_set: kv.set,
    progress: async (asked) => {
      call.reportProgress(readRequest(asked, ProgressReport, limits));
      return { ok: null };
    },
    config_get: createConfigGet({
      keys: permissions.config ?? [],
      values: ports.configurationOf(call.plugin),
      call,
      bounds: limits,
      onValue: (key, value) => {
        if (SECRET_NAME.test(key) && value.length >= LEAST_SECRET) secrets.add(value);
      },
    }),
    http_request: createHttpRequest({
      permission: permissions.http ?? { allow: [] },
      limits,
      fetch: ports.fetch,
      deadline: call.deadline,
      now: () => ports.now(),
    }),
  };
  const takesBytes: ReadonlySet<HostFunctionName> = new Set(['resource_write', 'http_request']);

  return {
    refusalOf: (name) => permissionRefusal(name, permissions),
    droppedLogBytes: log.droppedBytes,
    call: async (asked, signal) => {
      const refusal = permissionRefusal(asked.name, permissions);
      if (refusal !== null) return failed('FORBIDDEN', refusal);
      // A run that has ended must not act any more.
      if (signal.aborted) return failed('CANCELLED', 'the call has ended');
      if (asked.bytes !== null && !takesBytes.has(asked.name)) throw new HostMisuse(`${asked.name} takes no bytes`);
      meter.count(asked);
      return await functions[asked.name](asked, signal);
    },
  };
};
