import { createDeadline } from '../../src/lib/deadline.ts';
import type { PluginLocation, TransportCall } from '../../src/ports/transport.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ProgressReport } from '../../src/protocol/stdio-frame.ts';
import { sampleIds } from './sample-calls.ts';

export type CallOptions = {
  readonly args?: JsonObject;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly progress?: ProgressReport[];
};

/** A call as the runtime makes it. */
export const transportCall = (
  plugin: PluginLocation,
  { args = {}, timeoutMs = 20_000, signal, progress = [] }: CallOptions = {},
): TransportCall & { done(): void } => {
  const deadline = createDeadline({ now: Date.now(), timeoutMs, signal });
  return {
    plugin,
    command: plugin.manifest.capabilities.invocationCommands[0]!,
    arguments: args,
    invocationId: sampleIds.next('invocation'),
    requestId: sampleIds.next('request'),
    source: 'human',
    actor: null,
    conversation: null,
    requestIp: null,
    owner: 'tester',
    deadline: deadline.at,
    signal: deadline.signal,
    resourceWriter: { write: () => Promise.resolve(sampleIds.next('resource')) },
    resourceReader: { read: () => Promise.resolve(null) },
    inputResources: new Map(),
    task: null,
    resourceDirectory: () => Promise.resolve(null),
    reportProgress: (report) => void progress.push(report),
    done: deadline.dispose,
  };
};
