import {
  compileSchema,
  draft07,
  draft2020,
  extendDraft,
  type Draft,
  type JsonError,
  type JsonSchema,
} from 'json-schema-library';
import { checkJsonValue } from './check-json-value.ts';
import type { Issue } from './issue.ts';
import { schemaFaults } from './schema-faults.ts';
import { issueOfSchemaError } from './schema-issue.ts';
import { uniqueItemsKeyword } from './unique-items.ts';

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

const withOurKeywords = (draft: Draft): Draft =>
  extendDraft(draft, { keywords: [uniqueItemsKeyword] } as Parameters<typeof extendDraft>[1]);

const DRAFTS: Record<string, Draft> = {
  'https://json-schema.org/draft/2020-12/schema': withOurKeywords(draft2020),
  'http://json-schema.org/draft-07/schema': withOurKeywords(draft07),
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

/** How input schemas say that an argument is a resource: `{"$ref": "urn:vcp:schema:1.0:resource-input"}`. */
export const RESOURCE_INPUT_SCHEMA = {
  $id: 'urn:vcp:schema:1.0:resource-input',
  title: 'ResourceInput',
  anyOf: [
    {
      type: 'object',
      properties: RESOURCE_REFERENCE_SCHEMA.properties,
      required: RESOURCE_REFERENCE_SCHEMA.required,
      additionalProperties: false,
    },
    {
      type: 'string',
      minLength: 1,
      pattern: '^(res_[0-7][0-9A-HJKMNP-TV-Z]{25}$|[Dd][Aa][Tt][Aa]:|[Hh][Tt][Tt][Pp][Ss]?:\\/\\/)',
    },
  ],
};

const OUR_SCHEMAS = [RESOURCE_REFERENCE_SCHEMA, RESOURCE_INPUT_SCHEMA];

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
  const unfit = schemaFaults(
    schema,
    OUR_SCHEMAS.map(({ $id }) => $id),
  );
  return unfit.length > 0 ? { ok: false, issues: unfit } : compiled(schema as JsonSchema, draft);
};

const compiled = (schema: JsonSchema | boolean, draft: Draft): CompiledSchema => {
  try {
    const node = compileSchema(schema, {
      drafts: [draft],
      remotes: OUR_SCHEMAS,
      throwOnInvalidRef: true,
      // 2020-12 makes `format` an annotation; a plugin that means it as a rule checks it and can explain the fault.
      formatAssertion: false,
    });
    if (node.schemaErrors !== undefined && node.schemaErrors.length > 0) {
      return { ok: false, issues: node.schemaErrors.map((error) => issueOfSchemaError(error, schema)) };
    }
    // References are followed as values are: a few small ones find a dangling or endless reference now, not in a call.
    for (const sample of [null, {}, [], '', 0]) node.validate(sample);
    return { ok: true, validator: { schema, validate: (value) => safely(value, () => node.validate(value).errors) } };
  } catch (error) {
    return { ok: false, issues: [faultOf(error)] };
  }
};

/** A reference behind a property is only followed once a value has that property; then its fault is an issue too. */
const safely = (value: unknown, validate: () => JsonError[]): readonly Issue[] => {
  try {
    const errors = validate();
    return errors.length === 0 ? NONE : errors.map((error) => issueOfSchemaError(error, value));
  } catch (error) {
    return [faultOf(error)];
  }
};

const NONE: readonly Issue[] = Object.freeze([]);

const faultOf = (error: unknown): Issue => ({
  pointer: '',
  message:
    error instanceof RangeError
      ? 'has references that never end'
      : error instanceof Error
        ? error.message
        : String(error),
});
