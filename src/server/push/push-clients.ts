import type { EventViewer } from '../../events/event-viewer.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import type { Limits } from '../../lib/limits.ts';
import { METRICS } from '../../lib/metric-definitions.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Identity } from '../../ports/authenticator.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { mayUseTool, seesEverything } from '../access.ts';
import type { Credential } from '../credential.ts';

export type PushTransport = 'ws' | 'sse';
export type DropReason = 'slow' | 'silent' | 'refused' | 'revoked';

/** A connection that events are pushed to. */
export type PushClient = {
  readonly transport: PushTransport;
  readonly credential: Credential;
  /** The key's rights, which may change while it is connected. */
  setIdentity(identity: Identity): void;
  /** Gives a sign of life, and expects one where the transport has them. */
  beat(): void;
  /** Closes it with a WebSocket close code and a reason. */
  close(code: number, reason: string): void;
  terminate(): void;
};

/** Close codes of our own are from 4000 on (RFC 6455 §7.4.2). */
export const CLOSE = { goingAway: 1001, policy: 1008, tryAgainLater: 1013, keyGone: 4001 } as const;

/** All connections of a server: their number, their signs of life, and whether their keys are still good. */
export type PushClients = {
  /** Why another connection of this key is not taken, or null. */
  refusal(identity: Identity): string | null;
  /** Gives the function that takes it out again. */
  add(client: PushClient, identity: Identity): () => void;
  delivered(transport: PushTransport): void;
  dropped(client: PushClient, reason: DropReason): void;
  count(transport: PushTransport): number;
  isClosed(): boolean;
  /** The server stops: tells all, and takes no more. */
  close(): void;
  terminate(): void;
};

export type PushClientsDependencies = {
  readonly limits: Pick<Limits, 'pushClients' | 'pushClientsPerKey' | 'pushHeartbeatMs' | 'pushRecheckMs'>;
  readonly metrics: Metrics;
  /** Must not make events of its lines. */
  readonly logger: Logger;
  /** Does something again and again, while there are connections; gives what ends it. */
  readonly every?: (ms: number, action: () => void | Promise<void>) => () => void;
};

export const createPushClients = (dependencies: PushClientsDependencies): PushClients => {
  const { limits, metrics, logger, every = repeat } = dependencies;
  const clients = new Map<PushClient, Identity>();
  const perKey = new Map<string, number>();
  const delivered = remembered((transport: PushTransport) => metrics.counter(METRICS.eventsDelivered, { transport }));
  const dropped = remembered((transport: PushTransport, reason: DropReason) =>
    metrics.counter(METRICS.pushDropped, { transport, reason }),
  );
  let timers: readonly (() => void)[] = [];
  let isClosed = false;
  let isAsking = false;

  const count = (transport: PushTransport): number => {
    let found = 0;
    for (const client of clients.keys()) if (client.transport === transport) found += 1;
    return found;
  };
  metrics.watch(METRICS.pushClients, () =>
    (['ws', 'sse'] as const).map((transport) => ({ labels: { transport }, value: count(transport) })),
  );

  const drop = (client: PushClient, reason: DropReason) => {
    dropped(client.transport, reason).add();
    logger.info('push.dropped', { transport: client.transport, keyId: clients.get(client)?.id, reason });
  };

  const beat = () => {
    for (const client of clients.keys()) client.beat();
  };

  /** Each key is asked for once, however many connections it has. */
  const recheck = async (): Promise<void> => {
    const byKey = new Map<string, PushClient[]>();
    for (const client of clients.keys()) {
      const same = byKey.get(client.credential.key);
      if (same === undefined) byKey.set(client.credential.key, [client]);
      else same.push(client);
    }
    for (const same of byKey.values()) {
      const found = await (same[0] as PushClient).credential.ask();
      for (const client of same) {
        const before = clients.get(client);
        if (before === undefined || found === before) continue;
        if (found !== null && typeof found === 'object' && found.id === before.id) {
          clients.set(client, found);
          client.setIdentity(found);
        } else {
          drop(client, 'revoked');
          client.close(CLOSE.keyGone, 'the key is not valid any more');
        }
      }
    }
  };

  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    await recheck()
      // Who cannot be asked now is asked again soon; a connection is not cut for a fault of the keys file.
      .catch((error: unknown) => logger.warn('push.not-rechecked', { fault: describeFault(error) }))
      .finally(() => (isAsking = false));
  };

  const stopTimers = () => {
    for (const stop of timers) stop();
    timers = [];
  };

  return {
    count,
    refusal: ({ id }) => {
      if (isClosed) return 'the server is shutting down';
      if (clients.size >= limits.pushClients) return `this server has its ${limits.pushClients} connections already`;
      return (perKey.get(id) ?? 0) >= limits.pushClientsPerKey
        ? `this key has its ${limits.pushClientsPerKey} connections already`
        : null;
    },
    add: (client, identity) => {
      if (clients.size === 0) timers = [every(limits.pushHeartbeatMs, beat), every(limits.pushRecheckMs, ask)];
      clients.set(client, identity);
      perKey.set(identity.id, (perKey.get(identity.id) ?? 0) + 1);
      logger.debug('push.connected', { transport: client.transport, keyId: identity.id });
      return () => {
        if (!clients.delete(client)) return;
        logger.debug('push.disconnected', { transport: client.transport, keyId: identity.id });
        const left = (perKey.get(identity.id) ?? 1) - 1;
        if (left === 0) perKey.delete(identity.id);
        else perKey.set(identity.id, left);
        if (clients.size === 0) stopTimers();
      };
    },
    delivered: (transport) => delivered(transport).add(),
    dropped: drop,
    isClosed: () => isClosed,
    close: () => {
      isClosed = true;
      for (const client of clients.keys()) client.close(CLOSE.goingAway, 'the server is shutting down');
    },
    terminate: () => {
      for (const client of clients.keys()) client.terminate();
    },
  };
};

const repeat = (ms: number, action: () => unknown): (() => void) => {
  const timer = setInterval(action, ms);
  return () => clearInterval(timer);
};

/** An identity as the hub knows it. */
export const viewerOf = (identity: Identity, clientType: string | null): EventViewer => ({
  id: identity.id,
  seesEverything: seesEverything(identity),
  clientType,
  mayUseTool: (toolName) => mayUseTool(identity, toolName),
});
