import type { Context } from 'hono';

/** An open WebSocket, whatever runtime it belongs to. Nothing here throws, also when it has closed by itself. */
export type PushSocket = {
  /** Sends a text message, given as UTF-8. `onSent` is called when it has left for the network, or never will. */
  send(text: Uint8Array, onSent: () => void): void;
  /** Asks the other side for a sign of life; absent where the runtime finds out by itself who is gone. */
  ping?(): void;
  close(code: number, reason: string): void;
  /** Cuts the connection. */
  terminate(): void;
};

export type SocketListener = {
  /** Null for a message that is not text. */
  message(text: string | null): void;
  /** A sign of life. */
  pong(): void;
  closed(): void;
};

/** Makes a WebSocket of a request that has been let in; a request that asks for none is not given to it. */
export type UpgradeSocket = (c: Context, open: (socket: PushSocket) => SocketListener) => Promise<Response> | Response;
