import type { JsonValue } from '../protocol/json.ts';

export type Replacement = { readonly path: readonly (string | number)[]; readonly value: JsonValue };

/**
 * The value with others at some places. Only the containers on the way are copied, each once; a path that leads nowhere
 * changes nothing.
 */
export const replaceAt = (root: JsonValue, replacements: readonly Replacement[]): JsonValue => {
  const holder: { value: JsonValue } = { value: root };
  const ours = new Set<object>([holder]);

  for (const { path, value } of replacements) {
    let container = holder as Record<string | number, JsonValue>;
    const steps = ['value', ...path];
    const last = steps.pop() as string | number;
    for (const step of steps) {
      const child = Object.hasOwn(container, step) ? container[step] : undefined;
      if (typeof child !== 'object' || child === null) break;
      const own = ours.has(child) ? child : Array.isArray(child) ? [...child] : { ...child };
      ours.add(own);
      container[step] = own as JsonValue;
      container = own as Record<string | number, JsonValue>;
    }
    if (Object.hasOwn(container, last)) container[last] = value;
  }
  return holder.value;
};
