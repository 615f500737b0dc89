import type { JsonValue } from '../protocol/json.ts';

/**
 * Decides, place by place, what of a value may be read. A walk asks it in this order: the field as a whole, then the
 * key, then each text. It takes notes of its own of what it took out.
 */
export type Censor = {
  /** What stands in for the whole field, or undefined when the field may be looked into. */
  field(key: string, value: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined;
  /** The key to show. */
  key(key: string, path: readonly PropertyKey[]): string;
  /** The text to show; the same text when nothing was taken out. */
  text(text: string, path: readonly PropertyKey[]): string;
};

/** Lets everything through. */
export const NO_CENSOR: Censor = { field: () => undefined, key: (key) => key, text: (text) => text };
