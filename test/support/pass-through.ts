// A server whose upstream is a real one on loopback, for what passes it by.
import { createAdaptorServer } from '@hono/node-server';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { nodeConnections } from '../../adapters/node/node-connections.ts';
import { createUpstreamFetch } from '../../adapters/node/upstream-fetch.ts';
import { createPassThrough } from '../../src/chat/passthrough/pass-through.ts';
import { createUpstream } from '../../src/chat/models/create-upstream.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { loadConfiguration } from '../../src/server/configuration.ts';
import { createMemoryApp, type MemoryApp } from './memory-runtime.ts';
import { silentLogger } from './silent-logger.ts';

export const UPSTREAM_KEY = 'sk-upstream-0123456789abcdef';

/** A request as the upstream got it, whole. */
export type Received = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Resolves when the connection of the answer has closed. */
  readonly closed: Promise<void>;
};

export type Answering = (request: Received, response: ServerResponse) => void;

export type PassThroughServer = {
  readonly url: string;
  readonly memory: MemoryApp;
  readonly received: readonly Received[];
  /** What was logged of requests that pass, by event. */
  readonly warnings: readonly string[];
  post(path: string, body: BodyInit, init?: RequestInit & { readonly as?: string }): Promise<Response>;
};

export type PassThroughSetup = {
  /** Starts a server before an upstream that answers so. */
  start(
    answer: Answering,
    variables?: Readonly<Record<string, string>>,
    limits?: Partial<Limits>,
  ): Promise<PassThroughServer>;
  close(): Promise<void>;
};

export const WHITE_LISTS = {
  VCP_WHITELIST_EMBEDDING_MODELS: 'text-embedding-3-small, Other-Embedding',
  VCP_WHITELIST_IMAGE_MODELS: 'gpt-image-1',
};

export const setUpPassThrough = (): PassThroughSetup => {
  const network = createUpstreamFetch();
  const toClose: (() => Promise<unknown>)[] = [];

  const listen = async (server: Server): Promise<string> => {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    toClose.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  return {
    start: async (answer, variables = {}, limits = {}) => {
      const received: Received[] = [];
      const upstreamUrl = await listen(
        createServer((request, response) => {
          const pieces: Buffer[] = [];
          request
            .on('data', (piece: Buffer) => pieces.push(piece))
            .on('end', () => {
              const closed = new Promise<void>((done) => response.on('close', done));
              const { method = '', url = '', headers } = request;
              const whole: Received = { method, url, headers, body: Buffer.concat(pieces), closed };
              received.push(whole);
              answer(whole, response);
            });
        }),
      );
      const loaded = loadConfiguration({
        VCP_UPSTREAM_URL: `${upstreamUrl}/v1`,
        VCP_UPSTREAM_KEY: UPSTREAM_KEY,
        ...WHITE_LISTS,
        ...variables,
      });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
      const all = { ...DEFAULT_LIMITS, ...limits };
      const clock = { now: () => Date.now(), monotonic: () => performance.now() };
      const { fetch } = network;
      const warnings: string[] = [];
      const logger = { ...silentLogger, warn: (event: string) => void warnings.push(event) };
      const passThrough = createPassThrough(loaded.configuration, { fetch, clock, limits: all, logger });
      const model = createUpstream(loaded.configuration, {
        fetch,
        clock,
        limits: all,
        pause: { sleep, random: () => 0 },
      });
      if (passThrough === null || model === null) throw new Error('no upstream');
      const start = () => Promise.reject(new Error('the chat endpoint was asked'));
      const memory = createMemoryApp({
        limits,
        app: { passThrough, chat: { model, start }, connections: nodeConnections },
      });
      const url = await listen(createAdaptorServer({ fetch: memory.app.fetch }) as Server);
      const post: PassThroughServer['post'] = (path, body, { as = 'alice', ...init } = {}) =>
        globalThis.fetch(`${url}${path}`, {
          method: 'POST',
          body,
          ...init,
          headers: {
            authorization: `Bearer key-of-${as}`,
            'content-type': 'application/json',
            ...(init.headers as Record<string, string> | undefined),
          },
        });
      return { url, memory, received, warnings, post };
    },
    close: async () => {
      for (const close of toClose.splice(0)) await close();
      await network.close();
    },
  };
};

/** An embedding request of the first model on the list. */
export const asking = (more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ model: 'text-embedding-3-small', input: 'Grüße 北京', ...more });
