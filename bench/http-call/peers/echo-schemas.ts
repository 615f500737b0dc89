import { z } from 'zod';

/** The same rules as the input schema in BenchEcho's manifest. */
export const EchoInput = z.strictObject({
  text: z.string().max(1000),
  times: z.int().min(1).max(10),
  tags: z.array(z.string()).max(10),
});

/** The same rules as the output schema in BenchEcho's manifest. */
export const EchoOutput = z.strictObject({
  text: z.string(),
  length: z.int().min(0),
  items: z.array(z.strictObject({ index: z.int().min(0), value: z.string() })),
});
