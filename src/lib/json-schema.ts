import { compileSchema, draft07, draft2020, type Draft, type JsonError, type JsonSchema } from 'json-schema-library';
import { checkJsonValue } from './check-json-value.ts';
import type { Issue } from './issue.ts';
import { toJsonPointer } from './json-pointer.ts';
import { unsafePatternReason } from './unsafe-pattern.ts';

/** A compiled schema. `validate` gives no issues for a value that fits. */
export type SchemaValidator = {
  readonly schema: unknown;
  validate(value: unknown): readonly Issue[];
};

export type CompiledSchema =
  | { readonly ok: true; readonly validator: SchemaValidator }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Bounds of a plugin's own schema: it is compiled at start, on the host. */
const SCHEMA_BOUNDS = { jsonDepth: 48, jsonNodes: 50_000 };

const DRAFTS: Record<string, Draft> = {
  'https://json-schema.org/draft/2020-12/schema': draft2020,
  'http://json-schema.org/draft-07/schema': draft07,
};
const DEFAULT_DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** How plugin schemas refer to a resource: `{"$ref": "urn:vcp:schema:1.0:resource-reference"}` (§5.6). */
export const RESOURCE_REFERENCE_SCHEMA = {
  $id: 'urn:vcp:schema:1.0:resource-reference',
  type: 'object',
  properties: { $resource: { type: 'string', minLength: 1, maxLength: 128 } },
  required: ['$resource'],
  additionalProperties: false,
};

/**
 * Compiles a JSON Schema (2020-12, or draft-07 when `$schema` says so). Nothing is ever fetched: a reference that
 * leads outside the schema and our own vocabulary is an issue, and so is a pattern that can backtrack without bound.
 */
export const compileJsonSchema = (schema: unknown): CompiledSchema => {
  if (typeof schema === 'boolean') return compiled(schema, draft2020);
  const malformed = checkJsonValue(schema, SCHEMA_BOUNDS);
  if (malformed !== null) return { ok: false, issues: [malformed] };
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return { ok: false, issues: [{ pointer: '', message: 'must be an object or a boolean' }] };
  }
  const declared = ((schema as { $schema?: unknown }).$schema ?? DEFAULT_DRAFT) as string;
  const draft = DRAFTS[String(declared).replace(/#$/, '')];
  if (draft === undefined) {
    return { ok: false, issues: [{ pointer: '/$schema', message: 'must be JSON Schema 2020-12 or draft-07' }] };
  }
  const keywords = keywordsOf(schema);
  const unfit = [...unsafePatterns(keywords), ...foreignReferences(keywords)];
  return unfit.length > 0 ? { ok: false, issues: unfit } : compiled(schema as JsonSchema, draft);
};

const compiled = (schema: JsonSchema | boolean, draft: Draft): CompiledSchema => {
  try {
    const node = compileSchema(schema, {
      drafts: [draft],
      remotes: [RESOURCE_REFERENCE_SCHEMA],
      throwOnInvalidRef: true,
      // 2020-12 makes `format` an annotation; a plugin that means it as a rule checks it and can explain the fault.
      formatAssertion: false,
    });
    if (node.schemaErrors !== undefined && node.schemaErrors.length > 0) {
      return { ok: false, issues: node.schemaErrors.map(issueOf) };
    }
    // References are followed as values are: a few small ones find a dangling or endless reference now, not in a call.
    for (const sample of [null, {}, [], '', 0]) node.validate(sample);
    return { ok: true, validator: { schema, validate: (value) => safely(() => node.validate(value).errors) } };
  } catch (error) {
    return { ok: false, issues: [faultOf(error)] };
  }
};

/** A reference behind a property is only followed once a value has that property; then its fault is an issue too. */
const safely = (validate: () => JsonError[]): readonly Issue[] => {
  try {
    const errors = validate();
    return errors.length === 0 ? NONE : errors.map(issueOf);
  } catch (error) {
    return [faultOf(error)];
  }
};

const NONE: readonly Issue[] = Object.freeze([]);

const faultOf = (error: unknown): Issue => ({
  pointer: '',
  message: error instanceof RangeError ? 'has references that never end' : error instanceof Error ? error.message : String(error),
});

/** The longest piece of the library's message that is repeated: it may quote the whole value. */
const MESSAGE_CHARACTERS = 300;

const issueOf = (error: JsonError): Issue => {
  const data = error.data as { pointer: string; key?: string; property?: string };
  const at = pointerOfFragment(data.pointer);
  if (error.code === 'required-property-error' && data.key !== undefined) {
    return { pointer: at + toJsonPointer([data.key]), message: 'is required', code: 'required' };
  }
  const message = error.message.length > MESSAGE_CHARACTERS ? `${error.message.slice(0, MESSAGE_CHARACTERS).toWellFormed()}…` : error.message;
  return { pointer: at, message, code: String(error.code) };
};

const pointerOfFragment = (fragment: string): string => fragment.replace(/^#/, '');

type Keyword = { readonly key: string; readonly value: unknown; readonly path: readonly PropertyKey[] };

/** Every keyword of a schema and of all schemas in it. What a property is called is not a keyword. */
const keywordsOf = (schema: object): Keyword[] => {
  const keywords: Keyword[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[], inProperties: boolean) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      value.forEach((child, index) => visit(child, [...path, index], false));
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      const here = [...path, key];
      if (!inProperties) keywords.push({ key, value: child, path: here });
      // `const`, `enum` and the like hold values, not schemas.
      if (inProperties || !VALUE_KEYWORDS.has(key)) visit(child, here, !inProperties && NAMED_SCHEMAS.has(key));
    }
  };
  visit(schema, [], false);
  return keywords;
};

const unsafePatterns = (keywords: readonly Keyword[]): Issue[] =>
  keywords.flatMap(({ key, value, path }) => {
    if (key === 'pattern' && typeof value === 'string') return patternIssues(value, path);
    if (key !== 'patternProperties' || typeof value !== 'object' || value === null) return [];
    return Object.keys(value).flatMap((pattern) => patternIssues(pattern, [...path, pattern]));
  });

const patternIssues = (pattern: string, path: readonly PropertyKey[]): Issue[] => {
  const reason = unsafePatternReason(pattern);
  if (reason === null) return [];
  return [{ pointer: toJsonPointer(path), message: `pattern ${JSON.stringify(pattern).slice(0, 120)} ${reason}` }];
};

/** References to documents that are not here. A call must not be the first to find out. */
const foreignReferences = (keywords: readonly Keyword[]): Issue[] => {
  const ids = keywords.filter(({ key, value }) => key === '$id' && typeof value === 'string').map(({ value }) => value as string);
  const known = [RESOURCE_REFERENCE_SCHEMA.$id, ...ids];
  return keywords.flatMap(({ key, value, path }) => {
    if ((key !== '$ref' && key !== '$dynamicRef') || typeof value !== 'string') return [];
    const [document = ''] = value.split('#');
    // A relative reference is the library's to resolve against an `$id` of the schema.
    const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(document);
    if (document === '' || known.includes(document) || (!isAbsolute && ids.length > 0)) return [];
    return [{ pointer: toJsonPointer(path), message: `refers to ${JSON.stringify(value).slice(0, 120)}, which is not part of this schema; nothing is fetched` }];
  });
};

const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const VALUE_KEYWORDS = new Set(['const', 'enum', 'default', 'examples']);
