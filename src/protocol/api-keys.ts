import { z } from 'zod';
import { ToolName } from './names.ts';
import { Timestamp } from './timestamp.ts';

/** What a key is for. `docs/operations.md` says which role may do what. */
export const KeyRole = z.enum(['human', 'workflow', 'ai', 'bridge', 'node', 'operator', 'admin']);
export type KeyRole = z.infer<typeof KeyRole>;

const WINDOW_SECONDS = 31 * 24 * 3_600;

/** `requests` may come at once; used up, they come back evenly over `windowSeconds`. */
export const RateLimit = z.strictObject({
  requests: z.int().min(1).max(1_000_000),
  windowSeconds: z.int().min(1).max(WINDOW_SECONDS),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** The id of the server's own key, which is in no file. */
export const DEFAULT_KEY_ID = 'key_default';

/** A key as the file keeps it: whoever reads the file cannot make the key of it. */
export const ApiKeyEntry = z.strictObject({
  id: z
    .string()
    .regex(/^key_(?!default$)[A-Za-z0-9_-]{1,64}$/, {
      error: 'must be key_ followed by at most 64 letters, digits, "_" or "-", and not key_default',
    })
    .meta({ description: 'Owns what the key leaves behind.' }),
  name: z.string().min(1).max(128).meta({ description: 'For people.' }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits in lower case' })
    .meta({ description: 'SHA-256 of the key.' }),
  roles: z.array(KeyRole).min(1),
  tools: z.array(ToolName).nullable().default(null).meta({ description: 'Tools that it may use; null: all.' }),
  rateLimit: RateLimit.nullable().default(null).meta({ description: 'Of all its requests together.' }),
  toolRateLimits: z.record(ToolName, RateLimit).default({}).meta({ description: 'Of its calls of one tool.' }),
  createdAt: Timestamp,
  expiresAt: Timestamp.optional(),
  revokedAt: Timestamp.optional().meta({ description: 'Set: the key opens nothing any more.' }),
});
export type ApiKeyEntry = z.infer<typeof ApiKeyEntry>;

export const ApiKeysFile = z
  .strictObject({
    $schema: z.string().optional(),
    version: z.literal(1, { error: 'must be 1' }),
    defaultKey: z.boolean().default(true).meta({ description: "Whether the server's own key opens it too." }),
    keys: z.array(ApiKeyEntry),
  })
  .meta({ id: 'api-keys', title: 'ApiKeysFile', description: 'The file of API keys (VCP_API_KEYS_FILE).' });
export type ApiKeysFile = z.infer<typeof ApiKeysFile>;
