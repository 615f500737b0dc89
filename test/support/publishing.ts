// The publishing stage, with a store in memory and no file system unless they are given.
import { createMemoryResourceStore } from '../../adapters/memory/memory-resource-store.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { Failure } from '../../src/lib/failure.ts';
import { createUlidIds } from '../../src/lib/ulid-ids.ts';
import type { StoredResource } from '../../src/ports/call-store.ts';
import type { GuardedFetch } from '../../src/ports/guarded-fetch.ts';
import type { LocalFiles, ResourceStore } from '../../src/ports/resource-store.ts';
import { InvocationCommand } from '../../src/protocol/manifest.ts';
import { PluginResultPayload } from '../../src/protocol/plugin-result-payload.ts';
import { publishResources, type PublishedPayload } from '../../src/resources/publish-resources.ts';
import { ULID } from './sample-values.ts';

export type PublishingOptions = {
  readonly limits?: Partial<Limits>;
  /** More fields of the command. */
  readonly command?: Record<string, unknown>;
  /** What the plugin wrote as `res_<ULID>` before it answered. */
  readonly written?: { readonly bytes: readonly number[]; readonly fileName?: string; readonly mimeType?: string };
  /** The descriptor of a resource of an earlier call. */
  readonly earlier?: Record<string, unknown>;
  /** Bytes that the store has. */
  readonly kept?: readonly number[];
  /** The directory of the call, with what opens files in it. */
  readonly directory?: string;
  readonly files?: LocalFiles;
  readonly fetch?: GuardedFetch;
  /** Instead of one in memory. */
  readonly store?: ResourceStore;
};

export const publishing = async (
  payload: Record<string, unknown>,
  options: PublishingOptions = {},
): Promise<{ readonly failure: Failure | null; readonly published: PublishedPayload | null }> => {
  const store = options.store ?? createMemoryResourceStore();
  const { written, earlier, kept } = options;
  if (kept !== undefined) await store.put(Uint8Array.from(kept), { maxBytes: 1_000 });
  const blob = written === undefined ? null : await store.put(Uint8Array.from(written.bytes), { maxBytes: 1_000 });
  const command = InvocationCommand.parse({
    commandIdentifier: 'Run',
    description: 'd',
    inputSchema: true,
    outputSchema: true,
    ...options.command,
  });
  const publication = await publishResources(
    PluginResultPayload.parse({ status: 'success', ...payload }),
    command,
    {
      directory: async () => options.directory ?? null,
      written: new Map(
        blob === null ? [] : [[`res_${ULID}`, { blob, fileName: written?.fileName, mimeType: written?.mimeType }]],
      ),
      find: async (id) =>
        earlier?.['id'] === id
          ? ({
              descriptor: earlier,
              owner: 'alice',
              resultId: null,
              createdAt: '2026-07-11T07:30:00.000Z',
            } as unknown as StoredResource)
          : null,
    },
    {
      store,
      files: options.files ?? null,
      fetch: options.fetch ?? null,
      ids: createUlidIds(() => 1_700_000_000_000),
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      urlOf: (id, fileName) => `https://vcp.example/${id}/${encodeURIComponent(fileName)}`,
    },
  );
  return publication.ok
    ? { failure: null, published: publication.published }
    : { failure: publication.failure, published: null };
};

/** The same for a payload that is expected to be published. */
export const publish = async (
  payload: Record<string, unknown>,
  options: PublishingOptions = {},
): Promise<PublishedPayload> => {
  const { failure, published } = await publishing(payload, options);
  if (published === null) throw new Error(JSON.stringify(failure));
  return published;
};
