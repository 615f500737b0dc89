import { z } from 'zod';
import { isJsonObject } from '../lib/is-json-object.ts';
import { DEFAULT_LIMITS } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

// What the values of variables are made of.

export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

export const listOf = (fits: (item: string) => boolean, error: string) =>
  list.refine((items) => items.every(fits), { error });

export const isOrigin = (text: string): boolean => text === '*' || URL.parse(text)?.origin === text;

export const isBareAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
};

/** Names of models have no equals sign, and an alias is not the model itself. */
export const MODEL_REDIRECT = /^([^=]+)=(?!\1$)[^=]+$/;
export const aliasOf = (redirect: string): string => redirect.slice(0, redirect.indexOf('=')).trim();
export const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

export const jsonObject = (fits: (value: JsonObject) => boolean, error: string) =>
  z.string().transform((text, context): JsonObject => {
    const parsed = parseJson(text, DEFAULT_LIMITS);
    const value = parsed.ok ? (parsed.value as JsonValue) : null;
    if (isJsonObject(value) && fits(value)) return value;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });

/** Public keys that verify signatures with Ed25519 (RFC 8037); a private half is refused, not passed over. */
const PublicKeys = z
  .array(z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string().regex(/^[\w-]{43}$/) }))
  .min(1);

export const publicKeys = z.string().transform((text, context): z.infer<typeof PublicKeys> => {
  const parsed = parseJson(text, DEFAULT_LIMITS);
  const keys = PublicKeys.safeParse(parsed.ok ? parsed.value : null);
  if (keys.success) return keys.data;
  const message = 'must be a JSON array of public Ed25519 keys, such as [{"kty":"OKP","crv":"Ed25519","x":"…"}]';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
