/**
 * The same bytes, for a reader that may never come back: when it takes nothing for `idleMs`, the stream fails, and what
 * it was read from is let go of, and `onStall` is told. Holds no chunk in advance.
 */
export const cutStalled = (
  source: ReadableStream<Uint8Array>,
  idleMs: number,
  onStall: () => void,
): ReadableStream<Uint8Array> => {
  const reader = source.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(timer);
        const next = await reader.read();
        if (next.done) return controller.close();
        controller.enqueue(next.value);
        timer = setTimeout(() => {
          const stalled = new Error(`the reader took nothing for ${idleMs} ms`);
          onStall();
          controller.error(stalled);
          reader.cancel(stalled).catch(() => undefined);
        }, idleMs);
      },
      cancel: async (reason) => {
        clearTimeout(timer);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
};
