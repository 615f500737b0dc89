import { beforeSilence } from './before-silence.ts';

/** The same bytes, for a sender that may stop: when nothing comes for `silentMs`, the stream fails with the fault. */
export const failWhenSilent = (
  source: ReadableStream<Uint8Array>,
  silentMs: number,
  fault: () => Error,
): ReadableStream<Uint8Array> => {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await beforeSilence(reader.read(), silentMs);
        if (next === null) {
          const silence = fault();
          controller.error(silence);
          reader.cancel(silence).catch(() => undefined);
        } else if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};
