import type { ServerDocuments } from '../../src/server/app-environment.ts';
import type { DeployedPlugin } from './deployed-plugins.ts';
import { openWorkerServer } from './open-server.ts';
import { readWorkerConfiguration } from './read-worker-configuration.ts';
import { createWorkerLife, type Worker } from './worker-life.ts';

export type WorkerOptions = {
  readonly plugins: readonly DeployedPlugin[];
  readonly documents: ServerDocuments;
  readonly version: string;
  /** The platform's own: keeps the invocation alive in which it is called, whichever that is. */
  readonly waitUntil: (work: Promise<unknown>) => void;
};

/** A server as a worker. */
export const createWorker = (options: WorkerOptions): Worker =>
  createWorkerLife({
    waitUntil: options.waitUntil,
    read: readWorkerConfiguration,
    open: (parts) => openWorkerServer({ ...options, ...parts }),
  });
