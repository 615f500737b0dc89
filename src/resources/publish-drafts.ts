import type { Failure } from '../lib/failure.ts';
import type { ResourceDescriptor, ResourceDraft } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { inconsistent } from './inconsistent.ts';
import type { Mirror } from './mirror-resource.ts';
import { publishDraft } from './publish-draft.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';

export type PublishedDrafts =
  | {
      readonly ok: true;
      /** By the ids that the plugin gave, in the order of the drafts. */
      readonly descriptors: ReadonlyMap<string, ResourceDescriptor>;
      readonly warnings: readonly Warning[];
      /** Of all together. */
      readonly bytes: number;
    }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Stores what the drafts of one payload hold, within the limits of a result, but for those that are left to somebody else.
 * One that cannot be published fails all.
 */
export const publishDrafts = async (
  drafts: readonly ResourceDraft[],
  scope: ResourceScope,
  dependencies: ResourceDependencies,
  mirror: Mirror | null,
  isLeft: (draft: ResourceDraft) => boolean = () => false,
): Promise<PublishedDrafts> => {
  const { limits } = dependencies;
  if (drafts.length > limits.resourcesPerResult) {
    return inconsistent(
      [{ pointer: '/resources', message: `has more than ${limits.resourcesPerResult} resources` }],
      limits.reportedIssues,
    );
  }
  const doubled = drafts.findIndex((draft, index) => drafts.findIndex((other) => other.id === draft.id) < index);
  if (doubled !== -1)
    return inconsistent(
      [{ pointer: `/resources/${doubled}/id`, message: 'is used by an earlier resource' }],
      limits.reportedIssues,
    );

  const descriptors = new Map<string, ResourceDescriptor>();
  const warnings: Warning[] = [];
  let bytes = 0;
  for (const [index, draft] of drafts.entries()) {
    if (isLeft(draft)) continue;
    const room = limits.resourceBytesPerResult - bytes;
    const published = await publishDraft(draft, index, scope, dependencies, mirror, room);
    if (!published.ok) return published;
    bytes += published.descriptor.sizeBytes ?? 0;
    if (bytes > limits.resourceBytesPerResult) {
      return {
        ok: false,
        failure: {
          code: 'RESOURCE_TOO_LARGE',
          message: `the resources of one result exceed ${limits.resourceBytesPerResult} bytes together`,
          target: 'resources',
          details: { pointer: '/resources' },
        },
      };
    }
    descriptors.set(draft.id, published.descriptor);
    warnings.push(...published.warnings);
  }
  return { ok: true, descriptors, warnings, bytes };
};
