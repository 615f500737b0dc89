import type { Failure } from '../lib/failure.ts';
import { pointerToTarget } from '../lib/json-pointer.ts';
import type { ResourceDescriptor, ResourceDraft } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { describeBlob } from './describe-blob.ts';
import { externalResource, externalUrl } from './external-resource.ts';
import type { Mirror, Mirrored } from './mirror-resource.ts';
import { obtainBlob } from './obtain-blob.ts';
import type { ResourceDependencies, ResourceScope } from './resource-context.ts';

export type PublishedDraft =
  | { readonly ok: true; readonly descriptor: ResourceDescriptor; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Stores what one draft holds and describes it by its bytes (§7.1). `index` is its place, for pointers; `room` is what the
 * result may still have of bytes, which nothing that is mirrored exceeds.
 */
export const publishDraft = async (
  draft: ResourceDraft,
  index: number,
  scope: ResourceScope,
  dependencies: ResourceDependencies,
  mirror: Mirror | null,
  room: number,
): Promise<PublishedDraft> => {
  if (draft.url !== undefined) {
    const fetched = (url: URL) => mirror?.(url, room);
    return await publishUrl(draft, draft.url, index, dependencies, fetched);
  }
  const found = await obtainBlob(draft, index, scope, dependencies);
  if (!found.ok) return found;
  const described = await describeBlob(found.obtained, draft, `/resources/${index}/mimeType`, dependencies);
  const target = `resources.${index}`;
  const warnings = (found.warnings ?? []).map((warning) => ({ ...warning, target }));
  return { ok: true, descriptor: described.descriptor, warnings: [...warnings, ...described.warnings] };
};

/** Described where it is; fetched only for a command that says so, and not lost when that fails (§7.6). */
const publishUrl = async (
  draft: ResourceDraft,
  text: string,
  index: number,
  dependencies: ResourceDependencies,
  fetched: (url: URL) => Promise<Mirrored> | undefined,
): Promise<PublishedDraft> => {
  const pointer = `/resources/${index}/url`;
  const url = externalUrl(text);
  if (url === null) {
    return {
      ok: false,
      failure: {
        code: 'INVALID_TOOL_RESULT',
        message: `${pointer} must be an absolute http or https URL`,
        target: pointerToTarget(pointer),
        details: { pointer },
      },
    };
  }
  const mirrored = await fetched(url);
  if (mirrored?.ok === true) {
    const { blob, declared } = mirrored.obtained;
    const described = await describeBlob(
      {
        blob,
        declared: { ...declared, plugin: draft.mimeType, fileName: draft.fileName ?? declared.fileName },
      },
      { ...draft, source: draft.source ?? { type: 'external', provider: url.hostname } },
      `/resources/${index}/mimeType`,
      dependencies,
    );
    return { ok: true, ...described };
  }
  const descriptor = externalResource(draft, url, dependencies);
  if (mirrored === undefined) return { ok: true, descriptor, warnings: [] };
  const { code, message } = mirrored;
  const warning: Warning = {
    code: 'MIRROR_FAILED',
    message: `the resource was not fetched and is described where it is: ${message}`,
    target: pointerToTarget(pointer),
    details: { pointer, code },
  };
  return { ok: true, descriptor, warnings: [warning] };
};
