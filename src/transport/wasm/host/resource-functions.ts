import { z } from 'zod';
import type { WasmLimits } from '../wasm-limits.ts';
import { BlobTooLarge } from '../../../ports/resource-store.ts';
import type { ResourceReader, ResourceWriter } from '../../../ports/transport.ts';
import { HostMisuse } from '../../../ports/wasm-sandbox.ts';
import { failed, type HostFunction } from './host-function.ts';
import { readRequest } from './read-request.ts';

const ResourceWrite = z.strictObject({
  fileName: z.string().min(1).max(255).optional(),
  mimeType: z.string().min(1).max(255).optional(),
});

const ResourceRead = z.strictObject({
  resourceId: z.string().min(1).max(64),
  offset: z.int().min(0).default(0),
  length: z.int().min(0).optional(),
});

/** Resources that a call writes, and that it may read. */
export const createResourceFunctions = ({
  writer,
  reader,
  limits,
  maxReadBytes,
}: {
  readonly writer: ResourceWriter;
  readonly reader: ResourceReader;
  readonly limits: WasmLimits;
  /** Bytes of one read; what the guest could not be handed is not fetched. */
  readonly maxReadBytes: number;
}): { readonly write: HostFunction; readonly read: HostFunction } => {
  let written = 0;
  let writtenBytes = 0;

  return {
    write: async (call) => {
      const { fileName, mimeType } = readRequest(call, ResourceWrite, limits);
      if (call.bytes === null) throw new HostMisuse('resource_write was called without a block of bytes');
      // What is written is stored at once, so more than a result can have is refused here.
      if (written >= limits.resourcesPerResult)
        return failed('LIMIT_REACHED', `a call may write ${limits.resourcesPerResult} resources, and has`);
      writtenBytes += call.bytes.byteLength;
      if (writtenBytes > limits.resourceBytesPerResult)
        return failed('RESOURCE_TOO_LARGE', `a call may write ${limits.resourceBytesPerResult} bytes of resources`);
      // Before it is waited for, or writes at the same time would all find room.
      written += 1;
      try {
        const options = {
          ...(fileName === undefined ? {} : { fileName }),
          ...(mimeType === undefined ? {} : { mimeType }),
        };
        return { ok: { resourceId: await writer.write(call.bytes, options) } };
      } catch (error) {
        written -= 1;
        if (error instanceof BlobTooLarge) return failed('RESOURCE_TOO_LARGE', error.message);
        throw error;
      }
    },
    read: async (call) => {
      const { resourceId, offset, length = null } = readRequest(call, ResourceRead, limits);
      const found = await reader.read(resourceId, { offset, length, maxBytes: maxReadBytes });
      if (found === 'too-large')
        return failed(
          'RESOURCE_TOO_LARGE',
          `at most ${maxReadBytes} bytes are read at once; ask for parts by offset and length`,
        );
      if (found === null)
        return failed(
          'FILE_NOT_FOUND',
          'there is no such resource that this call may read: only what it wrote itself, and what its arguments name',
        );
      const { sizeBytes, mimeType, fileName, bytes } = found;
      return { ok: { size: sizeBytes, mimeType, fileName, offset: Math.min(offset, sizeBytes) }, bytes };
    },
  };
};
