import { openReceiver } from './open-receiver.ts';
import { readReceiverConfiguration } from './read-receiver-configuration.ts';
import { createWorkerLife, type Worker } from './worker-life.ts';

export type ReceiverProgram = {
  readonly version: string;
  /** The platform's own: keeps the invocation alive in which it is called, whichever that is. */
  readonly waitUntil: (work: Promise<unknown>) => void;
};

/** A receiver of callbacks as a worker (docs/edge.md). */
export const createReceiver = ({ version, waitUntil }: ReceiverProgram): Worker =>
  createWorkerLife({
    waitUntil,
    read: readReceiverConfiguration,
    open: (parts) => openReceiver({ ...parts, version }),
  });
