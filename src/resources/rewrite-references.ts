import { toJsonPointer } from '../lib/json-pointer.ts';
import type { Issue } from '../lib/issue.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

export type RewrittenReferences =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issue: Issue };

/**
 * Replaces every `$resource` of a value by the published id (§5.6). Only the containers on the way to a reference
 * are copied; all else stays the same object. A reference to nothing is an issue.
 */
export const rewriteReferences = (
  value: JsonValue,
  publishedIds: ReadonlyMap<string, string>,
  path: readonly PropertyKey[],
): RewrittenReferences => {
  let dangling: Issue | null = null;

  // Depth was bounded when the payload came in.
  const rewrite = (current: JsonValue, here: readonly PropertyKey[]): JsonValue => {
    if (typeof current !== 'object' || current === null || dangling !== null) return current;
    if (Array.isArray(current)) {
      let copy: JsonValue[] | null = null;
      for (let index = 0; index < current.length; index += 1) {
        const child = current[index] as JsonValue;
        if (typeof child !== 'object' || child === null) continue;
        const changed = rewrite(child, [...here, index]);
        if (changed !== child) {
          copy ??= [...current];
          copy[index] = changed;
        }
      }
      return copy ?? current;
    }
    const source = current as JsonObject;
    let copy: Record<string, JsonValue> | null = null;
    for (const key of Object.keys(source)) {
      const child = source[key] as JsonValue;
      let changed = child;
      if (key === '$resource' && typeof child === 'string') {
        const published = publishedIds.get(child);
        if (published === undefined) dangling ??= danglingAt(child, [...here, key]);
        else changed = published;
      } else if (typeof child === 'object' && child !== null) {
        changed = rewrite(child, [...here, key]);
      }
      if (changed !== child) {
        copy ??= { ...source };
        copy[key] = changed;
      }
    }
    return copy ?? current;
  };

  const rewritten = rewrite(value, path);
  return dangling === null ? { ok: true, value: rewritten } : { ok: false, issue: dangling };
};

export const danglingAt = (id: string, path: readonly PropertyKey[]): Issue => ({
  pointer: toJsonPointer(path),
  message: `refers to the resource ${JSON.stringify(id.slice(0, 128))}, which "resources" does not declare${hintFor(id)}`,
});

/** What a call was given has an id of ours already, and still wants a place among the resources of the answer. */
const hintFor = (id: string): string =>
  /^res_[0-9A-Z]{26}$/.test(id)
    ? `; one that the call was given is declared there as {"id": "any name", "resourceId": ${JSON.stringify(id)}} and referred to by that name`
    : '';
