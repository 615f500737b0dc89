import { isJsonObject } from '../../lib/is-json-object.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** Fields that grow; nobody else holds any part of them. */
export type GrowingFields = { [name: string]: JsonValue };

/** Texts that are said again with every piece instead of going on. */
const SAID_WHOLE: ReadonlySet<string> = new Set(['id', 'type', 'role', 'name', 'format', 'index', 'thought_signature']);

/**
 * Puts the fields of a further piece of a stream to those that came before. Lists go on where they left off, objects
 * are looked into, and texts go on too where `textsGrow`, as they do within a delta; everything else is replaced.
 */
export const mergeFields = (target: GrowingFields, more: JsonObject, textsGrow: boolean): void => {
  for (const [name, value] of Object.entries(more)) {
    const before = target[name];
    if (Array.isArray(before) && Array.isArray(value)) {
      for (const item of value as readonly JsonValue[]) (before as JsonValue[]).push(structuredClone(item));
    } else if (isJsonObject(before) && isJsonObject(value)) {
      mergeFields(before as GrowingFields, value, textsGrow);
    } else if (textsGrow && typeof before === 'string' && typeof value === 'string' && !SAID_WHOLE.has(name)) {
      target[name] = before + value;
    } else if (value !== null || before === undefined) {
      target[name] = structuredClone(value);
    }
  }
};
