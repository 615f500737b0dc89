import type { Failure } from '../lib/failure.ts';
import type { Limits } from '../lib/limits.ts';
import type { InboxResource } from '../protocol/inbox.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { ResourceDescriptor, ResourceDraft } from '../protocol/resource.ts';
import { createMirror } from '../resources/mirror-resource.ts';
import { publishDrafts } from '../resources/publish-drafts.ts';
import type { ResourceDependencies } from '../resources/resource-context.ts';
import { rewritePayload } from '../resources/rewrite-payload.ts';
import { localPathFailure } from '../runtime/tasks/local-path-failure.ts';
import { validatePayload } from '../validate/validate-payload.ts';

export type StoredPayload =
  | {
      readonly ok: true;
      readonly status: PluginResultPayload['status'];
      /** The payload, whose drafts name what is stored. */
      readonly content: JsonValue;
      readonly resources: readonly InboxResource[];
    }
  | { readonly ok: false; readonly failure: Failure };

export type StorePayloadDependencies = {
  readonly resources: ResourceDependencies;
  readonly limits: Pick<Limits, 'reportedIssues'>;
};

/**
 * Holds the end of a task against the protocol where its command is not known, and stores what it brings: drafts with bytes,
 * and those with an address, which may not be there any more when the server asks. A draft that names a resource of the
 * server is the server's to find. What stands in `data` as text stays there: only its schema says what of it is a file.
 */
export const storePayload = async (
  result: JsonValue,
  taskId: string,
  signal: AbortSignal,
  { resources, limits }: StorePayloadDependencies,
): Promise<StoredPayload> => {
  const local = localPathFailure(result);
  if (local !== null) return { ok: false, failure: local };
  const { reportedIssues } = limits;
  const validated = validatePayload(result, {
    pluginType: 'asynchronous',
    async: true,
    taskId,
    endsTask: true,
    reportedIssues,
  });
  if (!validated.ok) return validated;
  const { payload } = validated;
  const stored = await publishDrafts(
    payload.resources,
    { written: new Map(), directory: async () => null, find: async () => null, signal },
    resources,
    createMirror(resources, signal),
    ({ resourceId }) => resourceId !== undefined,
  );
  if (!stored.ok) return stored;
  const { descriptors } = stored;
  // For its issues alone: what the local ids become is the server's to say.
  const rewritten = rewritePayload({
    payload,
    data: payload.data,
    command: UNKNOWN_COMMAND,
    resources: [...descriptors.values()],
    warnings: [],
    publishedIds: new Map(payload.resources.map(({ id }) => [id, descriptors.get(id)?.id ?? id])),
    reportedIssues,
  });
  if (!rewritten.ok) return rewritten;
  const content = {
    ...payload,
    resources: payload.resources.map((draft) => pointing(draft, descriptors.get(draft.id))),
    // What could not be fetched here is left as an address, and is no matter of the result.
    warnings: [...payload.warnings, ...stored.warnings.filter(({ code }) => code !== 'MIRROR_FAILED')],
  };
  return {
    ok: true,
    status: payload.status,
    content: content as unknown as JsonValue,
    resources: [...descriptors.values()].flatMap(storedResource),
  };
};

/** The draft with the stored bytes in the place of where they came from, described as they turned out to be. */
const pointing = (draft: ResourceDraft, descriptor: ResourceDescriptor | undefined): ResourceDraft => {
  if (descriptor === undefined || descriptor.sha256 === null) return draft;
  const { localPath: _path, url, dataUri: _uri, base64: _base64, ...rest } = draft;
  const { id: resourceId, mimeType, metadata, source } = descriptor;
  return { ...rest, resourceId, mimeType, metadata, ...(url === undefined ? {} : { source }) };
};

const storedResource = ({ id, sha256, sizeBytes, kind, mimeType, fileName }: ResourceDescriptor): InboxResource[] =>
  sha256 === null || sizeBytes === null ? [] : [{ id, sha256, sizeBytes, kind, mimeType, fileName }];

/** Asks for nothing: which command a task is of, its server knows. */
const UNKNOWN_COMMAND: InvocationCommand = {
  commandIdentifier: 'Unknown',
  description: '',
  inputSchema: true,
  outputSchema: true,
  idempotent: false,
  approval: false,
  async: true,
  mirror: true,
};
