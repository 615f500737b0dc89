import { DurableObject } from 'cloudflare:workers';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EventTicket } from '../../../src/protocol/push.ts';
import { loadConfiguration } from '../../../src/server/configuration.ts';
import { createKeysAuthenticator } from '../../auth/keys-authenticator.ts';
import { variablesOf, type WorkerBindings } from '../bindings.ts';
import { createConsoleLogger } from '../console-logger.ts';
import { EDGE_DEFAULTS } from '../edge-defaults.ts';
import { readKeys } from '../read-keys.ts';
import { openEventDesk, type EventDesk, type WantedSession } from './event-desk.ts';
import type { EventObjectStub, SentEvent } from './event-stub.ts';
import type { ObjectState, SleepingSocket } from './object-state.ts';
import { createStoredTickets, type StoredTickets } from './stored-tickets.ts';

declare const WebSocketPair: new () => { readonly 0: WebSocket; readonly 1: SleepingSocket };

/**
 * The one Durable Object of a deployment: isolates send it their events, and it holds all the WebSockets. These hibernate:
 * they stay open while the object is not in memory, and cost nothing then.
 */
export class EventObject extends DurableObject<WorkerBindings> implements Omit<EventObjectStub, 'fetch'> {
  readonly #desk: EventDesk;
  readonly #tickets: StoredTickets;

  constructor(state: ObjectState, bindings: WorkerBindings) {
    super(state, bindings);
    const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
    const loaded = loadConfiguration({ ...EDGE_DEFAULTS, ...variablesOf(bindings) });
    // A worker that is not configured answers everything with 503 and sends nothing here.
    if (!loaded.ok) throw new Error('the worker is not configured');
    const { limits, configuration } = loaded;
    const { apiKey, keys } = readKeys(loaded);
    this.#desk = openEventDesk({
      state,
      identities: createKeysAuthenticator(apiKey, { current: () => keys }, clock),
      clock,
      limits,
      logger: createConsoleLogger(configuration.VCP_LOG_LEVEL, clock.now),
      newSocketPair: () => {
        const { 0: client, 1: server } = new WebSocketPair();
        return [client, server];
      },
    });
    this.#tickets = createStoredTickets(state.storage.sql, clock, limits);
  }

  async publish(events: readonly SentEvent[]): Promise<void> {
    for (const { event, address } of events) this.#desk.emit(event, address);
  }

  issueTicket(keyId: string): Promise<EventTicket | null> {
    return this.#tickets.issue(keyId);
  }

  redeemTicket(ticket: string): Promise<string | null> {
    return this.#tickets.redeem(ticket);
  }

  fetch(request: Request): Response {
    const wanted = JSON.parse(new URL(request.url).searchParams.get('session') as string) as WantedSession;
    return request.headers.get('upgrade') === 'websocket'
      ? this.#desk.openSocket(wanted)
      : this.#desk.openStream(wanted);
  }

  webSocketMessage(socket: SleepingSocket, message: string | ArrayBuffer): void {
    this.#desk.message(socket, message);
  }

  webSocketClose(socket: SleepingSocket): void {
    this.#desk.left(socket);
  }

  webSocketError(socket: SleepingSocket): void {
    this.#desk.lost(socket);
  }

  alarm(): Promise<void> {
    return this.#desk.ring();
  }
}
