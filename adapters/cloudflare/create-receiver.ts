import { openReceiver, type ReceiverOptions } from './open-receiver.ts';
import { readReceiverConfiguration } from './read-receiver-configuration.ts';
import { createWorkerLife, type Worker } from './worker-life.ts';

/** A receiver of callbacks as a worker (docs/edge.md). */
export const createReceiver = (options: ReceiverOptions): Worker =>
  createWorkerLife({
    read: readReceiverConfiguration,
    open: (parts) => openReceiver({ ...options, ...parts }),
  });
