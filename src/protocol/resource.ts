import { z } from 'zod';
import { ResourceId } from './ids.ts';
import { JsonObject } from './json.ts';
import { Timestamp } from './timestamp.ts';

/** §7.2 */
export const ResourceKind = z.enum([
  'image',
  'audio',
  'video',
  'document',
  'archive',
  'text',
  'binary',
  'directory',
  'other',
]);
export type ResourceKind = z.infer<typeof ResourceKind>;

/** §7.3 */
export const ResourceRole = z.enum(['input', 'output', 'preview', 'thumbnail', 'attachment', 'log', 'intermediate']);
export type ResourceRole = z.infer<typeof ResourceRole>;

export const MediaType = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(\s*;.*)?$/, {
    error: 'must be a media type, such as "image/png"',
  });

export const FileName = z
  .string()
  .max(300)
  .regex(/^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u, {
    error: 'must be a plain file name without separators or control characters',
  });

export const Dimensions = z.strictObject({ width: z.int().positive(), height: z.int().positive() });

/** Where the bytes came from; never a path. */
export const ResourceSource = z.strictObject({
  type: z.string().min(1).max(64),
  provider: z.string().max(256).nullable().default(null),
});

/** §7.6 */
export const ResourceAccess = z.strictObject({
  type: z.enum(['managed', 'external', 'ephemeral']),
  expiresAt: Timestamp.nullable(),
  requiresAuth: z.boolean(),
});

/** The one place that a draft names for its bytes. */
export const DRAFT_LOCATIONS = ['localPath', 'url', 'dataUri', 'base64', 'resourceId'] as const;
export type DraftLocation = (typeof DRAFT_LOCATIONS)[number];

/** A name that a plugin gives a resource within one result; the core replaces it by a `res_` id. */
export const LocalResourceId = z.string().min(1).max(128);

/** A resource as a plugin declares it (§7.4): metadata and exactly one location. */
export const ResourceDraft = z
  .strictObject({
    id: LocalResourceId,
    kind: ResourceKind.optional(),
    role: ResourceRole.default('output'),
    mimeType: MediaType.optional(),
    fileName: FileName.optional(),
    localPath: z.string().min(1).max(4_096).optional(),
    url: z.string().min(1).max(8_192).optional(),
    dataUri: z.string().min(1).optional(),
    base64: z.string().optional(),
    resourceId: ResourceId.optional(),
    source: ResourceSource.optional(),
    dimensions: Dimensions.nullish(),
    durationMs: z.number().nonnegative().nullish(),
    metadata: JsonObject.optional(),
  })
  .refine((draft) => DRAFT_LOCATIONS.filter((location) => draft[location] !== undefined).length === 1, {
    error: `needs exactly one of ${DRAFT_LOCATIONS.join(', ')}`,
  })
  .meta({
    id: 'resource-draft',
    title: 'ResourceDraft',
    description: 'A resource as a plugin declares it (§7.4).',
    oneOf: DRAFT_LOCATIONS.map((location) => ({ required: [location] })),
  });
export type ResourceDraft = z.infer<typeof ResourceDraft>;

/** A published resource as every consumer reads it (§7.1). `sizeBytes` and `sha256` are null for an external one. */
export const ResourceDescriptor = z
  .strictObject({
    id: ResourceId,
    kind: ResourceKind,
    role: ResourceRole,
    mimeType: MediaType,
    fileName: FileName,
    sizeBytes: z.int().nonnegative().nullable(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
    url: z.string(),
    access: ResourceAccess,
    source: ResourceSource,
    dimensions: Dimensions.nullable(),
    durationMs: z.number().nonnegative().nullable(),
    metadata: JsonObject,
  })
  .meta({ id: 'resource-descriptor', title: 'ResourceDescriptor', description: 'A published resource (§7.1).' });
export type ResourceDescriptor = z.infer<typeof ResourceDescriptor>;

/** How `data` points at a resource (§5.6). Output schemas `$ref` this by its `$id`. */
export const ResourceReference = z
  .strictObject({ $resource: z.string().min(1).max(128) })
  .meta({ id: 'resource-reference', title: 'ResourceReference', description: 'How data points at a resource (§5.6).' });
export type ResourceReference = z.infer<typeof ResourceReference>;
