import type { Redaction } from '../protocol/canonical-tool-result.ts';
import type { JsonValue } from '../protocol/json.ts';

/**
 * Decides, place by place, what of a value may be read. A walk asks it in this order: the field as a whole, then the
 * key, then each text. It takes notes of its own of what it took out.
 */
export type Censor = {
  /** What stands in for the whole field, or undefined when the field may be looked into. */
  field(key: string, value: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined;
  /** The key to show: none that `siblings`, the object it is a key of, has already, unless it is the same key. */
  key(key: string, path: readonly PropertyKey[], siblings: object): string;
  /** The text to show; the same text when nothing was taken out. */
  text(text: string, path: readonly PropertyKey[]): string;
};

/** A censor, and the list of what it took out so far. */
export type NotingCensor = Censor & { readonly redactions: readonly Redaction[] };

/** Lets everything through. */
export const NO_CENSOR: Censor = { field: () => undefined, key: (key) => key, text: (text) => text };
