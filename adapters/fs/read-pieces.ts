/** Bytes of the one piece of memory that a file goes through on its way: large enough for few steps, and small for caches. */
const PIECE_BYTES = 512 * 1024;

/**
 * The bytes of a source, in pieces that hold until the next one is asked for. A byte stream is read into the same memory
 * again and again: what is allocated for each piece instead has the collector go through the whole heap for a large file.
 * A reader that leaves early cancels the stream.
 */
export async function* readPieces(source: Uint8Array | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) {
    for (let at = 0; at < source.length; at += PIECE_BYTES) yield source.subarray(at, at + PIECE_BYTES);
    return;
  }
  const reader = byteReaderOf(source);
  if (reader === null) {
    yield* source;
    return;
  }
  let isDone = false;
  try {
    let memory = new Uint8Array(PIECE_BYTES);
    for (;;) {
      const { done, value } = await reader.read(memory);
      isDone = done;
      if (done) return;
      yield value;
      memory = new Uint8Array(value.buffer);
    }
  } catch (error) {
    isDone = true;
    throw error;
  } finally {
    if (!isDone) await reader.cancel();
  }
}

/** Null for a stream whose pieces come as they are. */
const byteReaderOf = (stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null => {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
};
