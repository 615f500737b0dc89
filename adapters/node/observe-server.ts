import type { EventHub } from '../../src/events/event-hub.ts';
import { METRICS } from '../../src/lib/metric-definitions.ts';
import type { Metrics } from '../../src/ports/metrics.ts';
import type { TransportAdapter } from '../../src/ports/transport.ts';
import { PROTOCOL_VERSION } from '../../src/protocol/version.ts';
import type { ToolRegistry } from '../../src/registry/tool-registry.ts';
import type { ToolRuntime } from '../../src/runtime/tool-runtime.ts';

export type ObservedServer = {
  readonly runtime: Pick<ToolRuntime, 'load'>;
  readonly registry: ToolRegistry;
  readonly transports: readonly TransportAdapter[];
  readonly events: Pick<EventHub, 'counts'>;
  readonly version: string;
};

/** Deno runs this adapter too, and tells of the Node that it is compatible with. */
const RUNTIME =
  process.versions['deno'] === undefined ? `node ${process.versions.node}` : `deno ${process.versions['deno']}`;

/** The figures that nobody counts: they are looked up when somebody reads them. */
export const observeServer = (
  metrics: Metrics,
  { runtime, registry, transports, events, version }: ObservedServer,
): void => {
  const load = (figure: 'running' | 'waiting') => () =>
    runtime.load().map((tool) => ({ labels: { tool: tool.toolName }, value: tool[figure] }));
  const processes = (figure: 'processes' | 'idle' | 'recycled') => () =>
    transports
      .flatMap((transport) => transport.stats?.() ?? [])
      .map((stats) => ({ labels: { tool: stats.toolName, mode: stats.mode }, value: stats[figure] }));

  metrics.watch(METRICS.callsRunning, load('running'));
  metrics.watch(METRICS.callsWaiting, load('waiting'));
  metrics.watch(METRICS.processes, processes('processes'));
  metrics.watch(METRICS.idleProcesses, processes('idle'));
  metrics.watch(METRICS.recycledProcesses, processes('recycled'));
  metrics.watch(METRICS.events, () => [...events.counts()].map(([type, value]) => ({ labels: { type }, value })));
  metrics.watch(METRICS.plugins, () => [
    { labels: { state: 'served' }, value: registry.list().length },
    { labels: { state: 'refused' }, value: registry.refused().length },
  ]);
  metrics.watch(METRICS.build, () => [{ labels: { version, protocol: PROTOCOL_VERSION, runtime: RUNTIME }, value: 1 }]);
};
