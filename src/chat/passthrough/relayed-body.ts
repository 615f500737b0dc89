import type { Deadline } from '../../lib/deadline.ts';
import { withinIdle } from '../models/transport/within-idle.ts';

/**
 * The bytes of an answer, taken from the upstream as fast as the client takes them. It fails when the upstream goes quiet,
 * breaks off or is over its time, so that what is cut is never taken for whole; a reader that leaves ends the request.
 */
export const relayedBody = (
  source: ReadableStream<Uint8Array>,
  { deadline, idleMs, faultOf }: { deadline: Deadline; idleMs: number; faultOf(error: unknown): unknown },
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const reader = source.getReader();
  const end = (): void => {
    deadline.shutDown();
    deadline.dispose();
    reader.cancel().catch(() => undefined);
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await withinIdle(reader.read(), idleMs, deadline.signal);
          if (!done) {
            controller.enqueue(value as Uint8Array<ArrayBuffer>);
            return;
          }
          deadline.dispose();
          controller.close();
        } catch (error) {
          const fault = faultOf(error);
          end();
          controller.error(fault);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
};
