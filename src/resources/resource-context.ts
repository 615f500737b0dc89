import type { Limits } from '../lib/limits.ts';
import type { GuardedFetch } from '../ports/guarded-fetch.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { LocalFiles, ResourceStore, StoredBlob } from '../ports/resource-store.ts';
import type { StoredResource } from '../ports/call-store.ts';

/** A blob that this call has written already, through its resource writer. */
export type WrittenResource = {
  readonly blob: StoredBlob;
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
};

export type ResourceLimits = Pick<
  Limits,
  'resourcesPerResult' | 'resourceBytes' | 'resourceBytesPerResult' | 'directoryEntries' | 'mirrorMs' | 'reportedIssues'
>;

/** What publishing needs of the rest of the system. */
export type ResourceDependencies = {
  readonly store: ResourceStore;
  readonly files: LocalFiles | null;
  /** Fetches what a command mirrors; null where nothing is fetched. */
  readonly fetch: GuardedFetch | null;
  readonly ids: IdSource;
  readonly limits: ResourceLimits;
  /** The address under which a resource is served. */
  urlOf(id: string, fileName: string): string;
};

/** What publishing needs of the call at hand. */
export type ResourceScope = {
  /** The directory that `localPath` is relative to; null where the runtime has no files. */
  directory(): Promise<string | null>;
  written: ReadonlyMap<string, WrittenResource>;
  /** Ends what still goes on when the call is over. */
  readonly signal?: AbortSignal;
  /** A resource of an earlier call that this caller may use. */
  find(id: string): Promise<StoredResource | null>;
};
