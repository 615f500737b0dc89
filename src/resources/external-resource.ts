import type { ResourceDescriptor, ResourceDraft } from '../protocol/resource.ts';
import { kindOfMediaType, UNKNOWN_TYPE } from './media-type.ts';
import type { ResourceDependencies } from './resource-context.ts';
import { defaultFileName, usableFileName } from './resource-file-name.ts';

/** The address of an external resource without the credentials that may stand in it; null for what is none. */
export const externalUrl = (text: string): URL | null => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.username = '';
  url.password = '';
  return url;
};

/** Describes what stays where it is (§7.6): nothing is fetched, so the plugin's word is all that is known. */
export const externalResource = (
  draft: ResourceDraft,
  url: URL,
  { ids }: Pick<ResourceDependencies, 'ids'>,
): ResourceDescriptor => {
  const mimeType = draft.mimeType ?? UNKNOWN_TYPE;
  return {
    id: ids.next('resource'),
    kind: draft.kind ?? kindOfMediaType(mimeType),
    role: draft.role,
    mimeType,
    fileName: draft.fileName ?? nameInUrl(url) ?? defaultFileName(draft.id, mimeType),
    sizeBytes: null,
    sha256: null,
    url: url.href,
    access: { type: 'external', expiresAt: null, requiresAuth: false },
    source: draft.source ?? { type: 'external', provider: url.hostname },
    dimensions: draft.dimensions ?? null,
    durationMs: draft.durationMs ?? null,
    metadata: draft.metadata ?? {},
  };
};

/** The last step of an address, as a file name. */
export const nameInUrl = (url: URL): string | undefined => {
  try {
    return usableFileName(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''));
  } catch {
    return undefined;
  }
};
