import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { hostPartsOf, redactText } from './sensitive-text.ts';

/** Where a result keeps what its caller had named in the arguments. It is the core's alone: plugins cannot set it. */
const EXTENSION = 'vcp.caller';

const MOST_PARTS = 64;
const MOST_CHARACTERS = 1_024;
/** Values of the arguments that are looked at, and levels: what a call is about stands near its top. */
const MOST_VALUES = 1_000;
const LEVELS = 2;

/**
 * The extensions of a result, with the paths and private addresses that its caller named in the arguments. Hiding from
 * callers what they have just said protects nothing and makes an answer about it useless. Only the runtime's own tools
 * are `trusted` to add what the same caller had named in an earlier call.
 */
export const withCallerGiven = (
  extensions: JsonObject,
  args: JsonValue,
  knownPaths: readonly string[],
  { trusted = false }: { readonly trusted?: boolean } = {},
): JsonObject => {
  const { [EXTENSION]: claimed, ...others } = extensions;
  const earlier = trusted ? gaveOf(claimed) : [];
  const parts = [...new Set([...earlier, ...givenParts(args)])].slice(0, 2 * MOST_PARTS);
  // What is hidden all the same, as a secret or a directory of the server's own, is not kept either.
  const gave = parts.filter((part) => redactText(inQuotes(part), knownPaths, new Set([part])) === null);
  return gave.length === 0 ? others : { ...others, [EXTENSION]: { gave } };
};

/** What the caller of a result, or of its task, had named; nothing for audits, which others read. */
export const callerGiven = ({ extensions }: Pick<CanonicalToolResult, 'extensions'>): ReadonlySet<string> =>
  new Set(gaveOf((extensions as JsonObject)[EXTENSION]));

/** The extensions by which a tool of the runtime hands on what the caller of an earlier result had named. */
export const handOnGiven = (result: CanonicalToolResult): JsonObject => {
  const gave = [...callerGiven(result)];
  return gave.length === 0 ? {} : { [EXTENSION]: { gave } };
};

const gaveOf = (kept: JsonValue | undefined): string[] => {
  const gave = (kept as { readonly gave?: unknown } | null | undefined)?.gave;
  return Array.isArray(gave) ? gave.filter((part): part is string => typeof part === 'string') : [];
};

/** A path with a space is only one in quotes; without a space, they change nothing. */
const inQuotes = (text: string): string => (text.includes(' ') ? `"${text}"` : text);

/** Texts that are nothing but a path, an address or a URL; not those that somebody pasted and that hold some. */
const givenParts = (args: JsonValue): string[] => {
  const parts = new Set<string>();
  let left = MOST_VALUES;
  const visit = (value: JsonValue, levels: number): void => {
    left -= 1;
    if (left < 0 || parts.size >= MOST_PARTS) return;
    if (typeof value === 'string') {
      if (value.length > MOST_CHARACTERS) return;
      const isUrl = /^[a-z][a-z0-9+.-]{0,20}:\/\/\S+$/i.test(value);
      for (const part of hostPartsOf(inQuotes(value))) if (isUrl || part === value) parts.add(part);
    } else if (levels > 0 && typeof value === 'object' && value !== null) {
      for (const child of Object.values(value)) {
        if (left < 0) return;
        visit(child as JsonValue, levels - 1);
      }
    }
  };
  visit(args, LEVELS);
  return [...parts];
};
