import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;

/**
 * The bytes of an open file from `start` to `end` (included), read as they are asked for. The file is closed at the end,
 * on a fault and when the reader leaves; a reader that never comes leaves it open, so hand the stream on at once.
 */
export const readFileStream = (file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> => {
  let position = start;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const wanted = Math.min(CHUNK_BYTES, end + 1 - position);
          const { bytesRead, buffer } =
            wanted <= 0
              ? { bytesRead: 0, buffer: new Uint8Array() }
              : await file.read(new Uint8Array(wanted), 0, wanted, position);
          position += bytesRead;
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
          if (bytesRead > 0 && position <= end) return;
          await file.close();
          if (position <= end) controller.error(new Error(`the file ends at ${position}, before ${end + 1}`));
          else controller.close();
        } catch (error) {
          await file.close().catch(() => undefined);
          throw error;
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
};
