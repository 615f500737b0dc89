import { isJsonObject } from '../lib/is-json-object.ts';
import { parseJsonPointer, resolveJsonPointer, toJsonPointer } from '../lib/json-pointer.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ResourceOutput } from '../protocol/manifest.ts';
import type { Port } from '../protocol/tool-description.ts';
import { describeSchema, type DescribedSchema } from './describe-schema-node.ts';

/** Levels below the whole value that are listed, and ports in all; what has more says so. */
const DEPTH = 8;
const MOST_PORTS = 1_000;

type Place = {
  readonly name: string;
  readonly pointer: string;
  readonly within: readonly string[];
  readonly required: boolean;
};

/**
 * The places of a value that its schema speaks of, from the whole to its parts. Fields of the items of a list, or of the
 * values of a map, have their pointer from there, and `within` names the lists and maps on the way.
 */
export const schemaPorts = (schema: JsonValue, declared: readonly ResourceOutput[] = []): Port[] => {
  const ports: Port[] = [];
  const resolve = resolverOf(schema);
  const isFull = (): boolean => ports.length >= MOST_PORTS;

  const visit = (current: JsonValue, place: Place, depth: number, open: ReadonlySet<JsonValue>): void => {
    const node = describeSchema(current, resolve);
    const isOpen = node.sources.some((source) => open.has(source));
    const hasMore = node.fields.size > 0 || node.items !== null || node.values !== null;
    const isCut = hasMore && (isOpen || depth >= DEPTH || isFull());
    const port = portOf(node, place, isCut, declared);
    const index = ports.push(port) - 1;
    if (isCut) return;
    const stopsHere = (): boolean => {
      if (isFull()) ports[index] = { ...port, more: true };
      return isFull();
    };
    const passed = new Set([...open, ...node.sources]);
    for (const [name, field] of node.fields) {
      if (stopsHere()) return;
      const pointer = `${place.pointer}${toJsonPointer([name])}`;
      visit(field.schema, { ...place, name, pointer, required: field.required }, depth + 1, passed);
    }
    for (const [part, name] of [
      [node.items, 'item'],
      [node.values, 'value'],
    ] as const) {
      if (part === null) continue;
      if (stopsHere()) return;
      const within = [...place.within, place.pointer];
      visit(part, { name, pointer: '', within, required: false }, depth + 1, passed);
    }
  };

  visit(schema, { name: '', pointer: '', within: [], required: true }, 0, new Set());
  return ports;
};

const portOf = (
  node: DescribedSchema,
  { name, pointer, within, required }: Place,
  more: boolean,
  declared: readonly ResourceOutput[],
): Port => {
  const output = within.length === 0 ? declared.find(({ field }) => field === pointer) : undefined;
  const isResource = node.isResource || output !== undefined;
  return {
    name,
    pointer,
    within: [...within],
    type: isResource ? 'resource' : [...node.types].join('|') || 'any',
    format: node.format,
    required,
    title: node.title,
    resourceKind: isResource ? (output?.kind ?? null) : null,
    more,
  };
};

/** Finds the part of the same schema that a reference leads to; nothing for one that leads elsewhere. */
const resolverOf = (root: JsonValue) => {
  let anchors: ReadonlyMap<string, JsonValue> | undefined;
  return (reference: string): JsonValue | undefined => {
    if (!reference.startsWith('#')) return undefined;
    try {
      const pointer = decodeURIComponent(reference.slice(1));
      parseJsonPointer(pointer);
      return resolveJsonPointer(root, pointer) as JsonValue | undefined;
    } catch {
      anchors ??= anchorsOf(root);
      return anchors.get(reference.slice(1));
    }
  };
};

/** The places that have a name; the first of two with the same. */
const anchorsOf = (root: JsonValue): ReadonlyMap<string, JsonValue> => {
  const found = new Map<string, JsonValue>();
  const visit = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) return;
    const anchor = isJsonObject(value) ? (value as JsonObject)['$anchor'] : undefined;
    if (typeof anchor === 'string' && !found.has(anchor)) found.set(anchor, value);
    for (const child of Object.values(value)) visit(child as JsonValue);
  };
  visit(root);
  return found;
};
