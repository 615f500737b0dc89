import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { ResourceConstraint, ResourceInput } from '../protocol/resource-input.ts';
import { isJsonObject } from './is-json-object.ts';
import { issuesOf, type Issue } from './issue.ts';
import { toJsonPointer } from './json-pointer.ts';
import { RESOURCE_INPUT_SCHEMA, RESOURCE_REFERENCE_SCHEMA } from './json-schema.ts';
import { targetOf } from './schema-cost.ts';
import { schemasOfStep } from './subschemas.ts';

/** A value among arguments where the schema declares a resource, and what the schema asks of it. */
export type ResourcePlace = {
  readonly path: readonly (string | number)[];
  readonly given: ResourceInput;
  /** It has to meet one of these; none means that any resource fits. */
  readonly constraints: readonly ResourceConstraint[];
};

const DECLARATIONS: ReadonlySet<unknown> = new Set([RESOURCE_INPUT_SCHEMA.$id, RESOURCE_REFERENCE_SCHEMA.$id]);
/** The keyword beside the `$ref` that says which resources fit. */
const CONSTRAINT = 'x-resource';

const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const SAME_VALUE = ['then', 'else'];

/** Whether a schema, or a part of it, declares a resource. */
export const isResourceSchema = (schema: JsonValue | undefined): boolean =>
  isJsonObject(schema) && DECLARATIONS.has(schema['$ref']);

export const declaresResources = (schema: JsonValue): boolean => declarationsIn(schema).length > 0;

/** Constraints that cannot be read, by their pointers into the schema. */
export const resourceConstraintFaults = (schema: JsonValue): Issue[] =>
  declarationsIn(schema).flatMap(({ path, node }) => {
    const constraint = node[CONSTRAINT];
    if (constraint === undefined) return [];
    const checked = ResourceConstraint.safeParse(constraint);
    if (checked.success) return [];
    const here = toJsonPointer([...path, CONSTRAINT]);
    return issuesOf(checked.error).map((issue) => ({ ...issue, pointer: here + issue.pointer }));
  });

type Declaration = { readonly path: readonly (string | number)[]; readonly node: JsonObject };

const declarationsIn = (value: JsonValue, path: readonly (string | number)[] = []): Declaration[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (isResourceSchema(value)) return [{ path, node: value as JsonObject }];
  return Object.entries(value).flatMap(([key, child]) => declarationsIn(child, [...path, key]));
};

/**
 * The resources among arguments that meet their schema. The schema is followed as far as the value goes: into
 * properties, items, alternatives, and references within the schema. A value that has no form of a resource, as one
 * alternative among others allows, is left alone.
 */
export const resourcePlaces = (schema: JsonValue, args: JsonValue): ResourcePlace[] => {
  const found = new Map<string, ResourcePlace>();

  const visit = (node: JsonValue | undefined, value: JsonValue, path: readonly (string | number)[]): void => {
    if (!isJsonObject(node)) return;
    if (isResourceSchema(node)) note(node, value, path);
    else if (typeof node['$ref'] === 'string') visit(targetOf(schema, node['$ref']) as JsonValue, value, path);
    for (const keyword of SAME_VALUE_LISTS) {
      const list = node[keyword];
      if (Array.isArray(list)) for (const child of list) visit(child, value, path);
    }
    for (const keyword of SAME_VALUE) visit(node[keyword], value, path);
    if (Array.isArray(value)) visitAll(node, value.entries(), path);
    else if (isJsonObject(value)) visitAll(node, Object.entries(value), path);
  };

  const visitAll = (
    node: JsonObject,
    parts: Iterable<[string | number, JsonValue]>,
    path: readonly (string | number)[],
  ) => {
    for (const [step, child] of parts) for (const one of schemasOfStep(node, step)) visit(one, child, [...path, step]);
  };

  const note = (node: JsonObject, value: JsonValue, path: readonly (string | number)[]): void => {
    const given = ResourceInput.safeParse(value);
    if (!given.success) return;
    const pointer = toJsonPointer(path);
    const earlier = found.get(pointer)?.constraints;
    const constraint = ResourceConstraint.parse(node[CONSTRAINT] ?? {});
    found.set(pointer, { path, given: given.data, constraints: [...(earlier ?? []), constraint] });
  };

  visit(schema, args, []);
  return [...found.values()];
};
