import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { formatBytes } from '../../lib/bytes.ts';
import { BlobTooLarge } from '../../ports/resource-store.ts';
import { FileName } from '../../protocol/resource.ts';
import { describeUpload } from '../../resources/describe-upload.ts';
import { mayCallTools } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';
import { headerFileName } from '../upload/header-file-name.ts';
import { FORM_BYTES, MalformedForm, readMultipartFile } from '../upload/multipart-file.ts';

export const UploadQuery = z.strictObject({
  fileName: FileName.optional().meta({
    description: 'Name of the file; comes before the names that Content-Disposition or the form gives.',
  }),
});

type UploadDependencies = Pick<AppDependencies, 'calls' | 'blobs' | 'ids' | 'addresses' | 'limits' | 'clock'>;

/** `POST /v1/resources`: the body, or the one file of a form, becomes a resource of the key that sent it. */
export const uploadRoutes = (dependencies: UploadDependencies) =>
  new Hono<AppEnvironment>().post('/v1/resources', validated('query', UploadQuery), (c) =>
    receive(c, c.req.valid('query').fileName, dependencies),
  );

const receive = async (
  c: Context<AppEnvironment>,
  namedInQuery: string | undefined,
  { calls, blobs, ids, addresses, limits, clock }: UploadDependencies,
): Promise<Response> => {
  const identity = c.get('identity');
  if (!mayCallTools(identity)) {
    const detail = 'this key may not upload: it has no role that calls tools';
    return problem(c, { status: 403, code: 'FORBIDDEN', detail });
  }
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const detail = `send the bytes of the file as they are, not encoded as ${encoding.slice(0, 64)}`;
    return problem(c, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail });
  }
  const contentType = c.req.header('content-type') ?? '';
  const isForm = /^multipart\/form-data\s*(;|$)/i.test(contentType.trim());
  const maxBytes = limits.resourceBytes;
  if (Number(c.req.header('content-length') ?? 0) > maxBytes + (isForm ? FORM_BYTES : 0)) return tooLarge(c, maxBytes);

  const source = c.req.raw.body ?? new Uint8Array();
  try {
    const file =
      isForm && !(source instanceof Uint8Array)
        ? await readMultipartFile(contentType, source, maxBytes)
        : {
            fileName: headerFileName(c.req.header('content-disposition')),
            mimeType: declaredType(contentType),
            body: source,
          };
    const blob = await blobs.put(file.body, { maxBytes });
    const given = {
      fileName: namedInQuery ?? file.fileName,
      mimeType: file.mimeType ?? null,
      sourceType: 'upload',
    };
    const descriptor = await describeUpload(blob, given, { store: blobs, ids, urlOf: addresses.urlOf });
    const createdAt = new Date(clock.now()).toISOString();
    await calls.saveResource({ descriptor, owner: identity.id, resultId: null, createdAt });
    return c.json(descriptor, 201, { location: descriptor.url });
  } catch (error) {
    if (error instanceof BlobTooLarge) return tooLarge(c, maxBytes);
    if (error instanceof MalformedForm) {
      return problem(c, { status: 400, code: 'INVALID_REQUEST', detail: error.message, headers: CLOSE });
    }
    throw error;
  }
};

/** What comes when nobody said anything: `curl --data-binary` sends it of its own accord. */
const declaredType = (contentType: string): string | undefined =>
  contentType === '' || /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType.trim())
    ? undefined
    : contentType;

/** The rest of the body is not read, so nothing else can come through this connection. */
const CLOSE = { connection: 'close' };

const tooLarge = (c: Context<AppEnvironment>, maxBytes: number): Response =>
  problem(c, {
    status: 413,
    code: 'CONTENT_TOO_LARGE',
    detail: `a resource has at most ${formatBytes(maxBytes)} here (VCP_LIMIT_RESOURCE_BYTES)`,
    headers: CLOSE,
  });
