import { toJsonPointer } from '../lib/json-pointer.ts';
import type { Redaction } from '../protocol/canonical-tool-result.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isEnvironmentSnapshot, isSecretName, redactText } from './sensitive-text.ts';

export type RedactedValue = { readonly value: JsonValue; readonly redactions: readonly Redaction[] };

/**
 * A value without its secrets, paths of the host and environment snapshots, and where something was taken out.
 * Only what changes is copied; a clean value is given back as it is. `path` is where the value stands in the result.
 */
export const redactValue = (value: JsonValue, path: readonly PropertyKey[], knownPaths: readonly string[]): RedactedValue => {
  const redactions: Redaction[] = [];
  const note = (here: readonly PropertyKey[], reason: string) => redactions.push({ pointer: toJsonPointer(here), reason });

  const redactString = (text: string, here: readonly PropertyKey[]): string => {
    const redacted = redactText(text, knownPaths);
    if (redacted === null) return text;
    for (const reason of redacted.reasons) note(here, reason);
    return redacted.text;
  };

  const redact = (current: JsonValue, here: readonly PropertyKey[]): JsonValue => {
    if (typeof current === 'string') return redactString(current, here);
    if (typeof current !== 'object' || current === null) return current;
    if (Array.isArray(current)) return redactArray(current, here);
    return redactObject(current as JsonObject, here);
  };

  const redactArray = (items: readonly JsonValue[], here: readonly PropertyKey[]): JsonValue => {
    let copy: JsonValue[] | null = null;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as JsonValue;
      if (typeof item !== 'string' && (typeof item !== 'object' || item === null)) continue;
      const redacted = redact(item, [...here, index]);
      if (redacted !== item) {
        copy ??= [...items];
        copy[index] = redacted;
      }
    }
    return copy ?? items;
  };

  const redactObject = (source: JsonObject, here: readonly PropertyKey[]): JsonValue => {
    let copy: Record<string, JsonValue> | null = null;
    for (const key of Object.keys(source)) {
      const child = source[key] as JsonValue;
      if (typeof child !== 'string' && (typeof child !== 'object' || child === null)) continue;
      const redacted = redactField(key, child, [...here, key]);
      if (redacted !== child) {
        copy ??= { ...source };
        copy[key] = redacted;
      }
    }
    return copy ?? source;
  };

  const redactField = (key: string, child: JsonValue, here: readonly PropertyKey[]): JsonValue => {
    if (typeof child === 'string' && child !== '' && isSecretName(key)) {
      note(here, 'secret');
      return '[redacted: secret]';
    }
    if (typeof child === 'object' && child !== null && isEnvironmentSnapshot(key, child)) {
      note(here, 'environment');
      return '[redacted: environment]';
    }
    return redact(child, here);
  };

  return { value: redact(value, path), redactions };
};
