import type { Context } from 'hono';
import type { Identities } from '../../../src/ports/authenticator.ts';
import { EVENT_STREAM_HEADERS, notTaken } from '../../../src/server/push/create-event-push.ts';
import type { EventPush } from '../../../src/server/push/event-push.ts';
import type { SessionStart } from '../../../src/server/push/socket-session.ts';
import type { WantedSession } from './event-desk.ts';
import type { EventObjectStub } from './event-stub.ts';

/** A worker lets clients in; the object holds their connections. */
export const createRemoteEventPush = (stub: () => EventObjectStub, identities: Identities): EventPush => {
  const ask = (start: SessionStart, headers: Record<string, string>): Promise<Response> => {
    const { identity, clientType, filter, lastEventId } = start;
    const wanted: WantedSession = { keyId: identity.id, clientType, filter, lastEventId };
    const session = encodeURIComponent(JSON.stringify(wanted));
    return stub().fetch(`https://events.invalid/?session=${session}`, { headers });
  };
  const refused = async (c: Context, answer: Response): Promise<Response> => notTaken(c, await answer.text());

  return {
    openSocket: async (c, start) => {
      const answer = (await ask(start, { upgrade: 'websocket' })) as Response & { readonly webSocket?: unknown };
      if (answer.status !== 101) return await refused(c, answer);
      return new Response(null, { status: 101, webSocket: answer.webSocket } as ResponseInit);
    },
    openStream: async (c, start) => {
      if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_STREAM_HEADERS);
      const answer = await ask(start, {});
      return answer.ok ? c.body(answer.body as ReadableStream, 200, EVENT_STREAM_HEADERS) : await refused(c, answer);
    },
    tickets: {
      issue: async ({ ask: whose }) => {
        const identity = await whose();
        return identity === null || typeof identity === 'string' ? null : await stub().issueTicket(identity.id);
      },
      redeem: async (ticket) => {
        const keyId = await stub().redeemTicket(ticket);
        return keyId === null ? null : { key: keyId, isTicket: true, ask: () => identities.identify(keyId) };
      },
    },
  };
};
