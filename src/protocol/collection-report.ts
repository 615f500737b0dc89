import { z } from 'zod';

/** What a collection of garbage has removed, or would remove. */
export const CollectionReport = z
  .strictObject({
    results: z.int().nonnegative(),
    records: z.int().nonnegative(),
    resources: z.int().nonnegative().meta({ description: 'Descriptors, of results and of uploads.' }),
    blobs: z.int().nonnegative(),
    bytes: z.int().nonnegative().meta({ description: 'Bytes of these blobs.' }),
    dryRun: z.boolean().meta({ description: 'Whether it only counted.' }),
  })
  .meta({
    id: 'collection-report',
    title: 'CollectionReport',
    description: 'What a collection of garbage has removed, or would remove.',
  });
export type CollectionReport = z.infer<typeof CollectionReport>;
