import assert from 'node:assert/strict';
import { once } from 'node:events';

type Request = (path: string, init?: RequestInit) => Promise<Response>;
type Message = { readonly type: string; readonly [field: string]: unknown };

export type WatchedEvents = {
  /** The first event that fits, of those that came and those that will. */
  first(fits: (event: Message) => boolean): Promise<Message>;
  close(): void;
};

/** Watches the events of a server as a page does: by a WebSocket that a ticket opens. */
export const watchEvents = async (url: string, request: Request): Promise<WatchedEvents> => {
  const issued = await request('/v1/tickets', { method: 'POST' });
  assert.equal(issued.status, 201, await issued.clone().text());
  const { ticket } = (await issued.json()) as { ticket: string };
  const socket = new WebSocket(new URL(`/v1/ws?ticket=${ticket}`, url.replace('http', 'ws')));
  const events: Message[] = [];
  socket.addEventListener('message', ({ data }) => events.push(JSON.parse(data as string) as Message));
  const first: WatchedEvents['first'] = async (fits) => {
    for (;;) {
      const found = events.find(fits);
      if (found !== undefined) return found;
      // A connection that breaks is an error, and no reason to wait.
      await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
    }
  };
  await first(({ type }) => type === 'subscribed');
  return { first, close: () => socket.close() };
};
