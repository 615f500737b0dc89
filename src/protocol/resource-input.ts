import { z } from 'zod';
import { ResourceId } from './ids.ts';
import { FileName, MediaType, ResourceKind, ResourceReference } from './resource.ts';

/**
 * A resource as a caller gives it for an argument: its id, a reference to it, a data URI, or an address of this server.
 * Input schemas `$ref` this by its `$id`, and may say beside it which resources fit (`ResourceConstraint`).
 */
export const ResourceInput = z
  .union([
    ResourceReference,
    z
      .string()
      .min(1)
      .regex(/^(res_[0-7][0-9A-HJKMNP-TV-Z]{25}$|[Dd][Aa][Tt][Aa]:|[Hh][Tt][Tt][Pp][Ss]?:\/\/)/, {
        error: 'must be the id of a resource (res_…), a data URI, or the address of a resource of this server',
      }),
  ])
  .meta({
    id: 'resource-input',
    title: 'ResourceInput',
    description: 'A resource given for an argument: an id, a reference, a data URI, or an address of this server.',
  });
export type ResourceInput = z.infer<typeof ResourceInput>;

/** Which resources fit an argument: the `x-resource` beside the `$ref` of an input schema. What is left out is open. */
export const ResourceConstraint = z.strictObject({
  kinds: z.array(ResourceKind).min(1).optional(),
  mediaTypes: z
    .array(
      z.union([MediaType, z.string().regex(/^[a-z]+\/\*$/)], {
        error: 'must be a media type such as "image/png" or "image/*"',
      }),
    )
    .min(1)
    .optional(),
  maxBytes: z.int().positive().optional(),
});
export type ResourceConstraint = z.infer<typeof ResourceConstraint>;

/** A resource as a tool gets it in its arguments, in the place of what the caller gave. */
export const DeliveredResource = z.strictObject({
  $resource: ResourceId,
  fileName: FileName,
  mimeType: MediaType,
  sizeBytes: z.int().nonnegative(),
  /** Where the bytes are, relative to `context.resourceDir`; for programs that have files. */
  localPath: z.string().optional(),
});
export type DeliveredResource = z.infer<typeof DeliveredResource>;
