import { z } from 'zod';

/** A hint for generic user interfaces (§5.8). It carries no facts, and nobody has to follow it. */
export const Presentation = z
  .strictObject({
    summary: z.string().max(65_536).nullable().default(null),
    preferredView: z.string().max(128).nullable().default(null),
    title: z.string().max(65_536).nullable().default(null),
    primaryResourceId: z.string().max(128).nullable().default(null),
  })
  .meta({ id: 'presentation', title: 'Presentation', description: 'A hint for generic user interfaces (§5.8).' });
export type Presentation = z.infer<typeof Presentation>;
