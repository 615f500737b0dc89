import type { ConnectionInfo } from '../../src/server/app-environment.ts';

/** What the worker hands to the app beside a request. */
export type WorkerConnection = { readonly request: Request };

/** Asks the request itself: the platform writes the client's address into a header that no client can set. */
export const workerConnections: ConnectionInfo = {
  clientAddress: (env) => requestOf(env)?.headers.get('cf-connecting-ip') ?? null,
  clientGone: (env) => requestOf(env)?.signal ?? null,
};

const requestOf = (env: unknown): Request | undefined => (env as Partial<WorkerConnection> | undefined)?.request;
