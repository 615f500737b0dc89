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
