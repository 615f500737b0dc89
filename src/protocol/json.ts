import { z } from 'zod';

/** Any value that JSON can carry. Depth and node count are bounded before a schema sees it (see `lib/check-json-value.ts`). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * Presence alone is checked here: whether the value is JSON at all was settled by one iterative walk at the border,
 * so a 100,000-row result is not walked again by recursion.
 */
export const JsonValue = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is required: give a JSON value, null when there is none' })
  .transform((value) => value as JsonValue)
  .meta({ id: 'json-value', title: 'JsonValue', description: 'Any JSON value.' });

export const JsonObject = z
  .record(z.string(), z.unknown())
  .transform((value) => value as JsonObject)
  .meta({ id: 'json-object', title: 'JsonObject', description: 'Any JSON object.' });
