import { z } from 'zod';

/** What is asked for when a signed address of a resource is made (§7.6). */
export const ResourceLinkRequest = z
  .strictObject({
    expiresInMs: z.int().min(1_000).optional().meta({
      description: 'Milliseconds that the address opens the resource; ten minutes when it is left out.',
    }),
  })
  .meta({
    id: 'resource-link-request',
    title: 'ResourceLinkRequest',
    description: 'How long a signed address of a resource is to open it (§7.6).',
  });
export type ResourceLinkRequest = z.infer<typeof ResourceLinkRequest>;
