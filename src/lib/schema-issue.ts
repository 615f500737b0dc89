import type { JsonError } from 'json-schema-library';
import { excerpt } from './excerpt.ts';
import type { Issue } from './issue.ts';
import { toJsonPointer } from './json-pointer.ts';
import { schemaErrorPointer } from './schema-error-pointer.ts';

/**
 * The library's finding about a value (or about a schema, when that is the value) in our form. What is said comes from
 * the schema alone: a message that quoted the value would carry a mistyped password into every log and view, past the
 * name that would have hidden it.
 */
export const issueOfSchemaError = (error: JsonError, value: unknown): Issue => {
  const data = error.data as Facts;
  const pointer = schemaErrorPointer(data.pointer.replace(/^#/, ''), value);
  if (error.code === 'required-property-error' && data.key !== undefined) {
    return { pointer: pointer + toJsonPointer([data.key]), message: 'is required', code: 'required' };
  }
  const code = typeof error.code === 'string' ? error.code : 'schema-error';
  return {
    pointer,
    message: MESSAGES[code]?.(data) ?? `does not meet the schema (${code.replace(/-error$/, '')})`,
    code,
  };
};

/** The parts of an error that do not hold the value. */
type Facts = {
  readonly pointer: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly key?: string;
  readonly missingProperty?: string;
  readonly expected?: unknown;
  /** The type of the value, which tells nothing else of it. */
  readonly received?: string;
  readonly duplicatePointer?: string;
  readonly message?: string;
};

const rule = (facts: Facts, keyword: string): string => excerpt(JSON.stringify(facts.schema?.[keyword]) ?? '?', 200);

/** Few read a pattern: what its author says of the value says it better. */
const described = ({ schema }: Facts): string => {
  const description = schema?.['description'];
  return typeof description === 'string' && description.trim() !== '' ? ` (${excerpt(description.trim(), 200)})` : '';
};

const MESSAGES: Readonly<Record<string, (facts: Facts) => string>> = {
  'type-error': (facts) => `must be of type ${[facts.expected].flat().join(' or ')}, not ${facts.received}`,
  'const-error': (facts) => `must be ${rule(facts, 'const')}`,
  'enum-error': (facts) => `must be one of ${rule(facts, 'enum')}`,
  'pattern-error': (facts) => `must match the pattern ${rule(facts, 'pattern')}${described(facts)}`,
  'minimum-error': (facts) => `must be at least ${rule(facts, 'minimum')}`,
  'maximum-error': (facts) => `must be at most ${rule(facts, 'maximum')}`,
  'exclusive-minimum-error': (facts) => `must be more than ${rule(facts, 'exclusiveMinimum')}`,
  'exclusive-maximum-error': (facts) => `must be less than ${rule(facts, 'exclusiveMaximum')}`,
  'multiple-of-error': (facts) => `must be a multiple of ${rule(facts, 'multipleOf')}`,
  'min-length-error': (facts) => `must have at least ${rule(facts, 'minLength')} characters`,
  'min-length-one-error': () => 'must not be empty',
  'max-length-error': (facts) => `must have at most ${rule(facts, 'maxLength')} characters`,
  'min-items-error': (facts) => `must have at least ${rule(facts, 'minItems')} items`,
  'min-items-one-error': () => 'must have at least one item',
  'max-items-error': (facts) => `must have at most ${rule(facts, 'maxItems')} items`,
  'min-properties-error': (facts) => `must have at least ${rule(facts, 'minProperties')} properties`,
  'max-properties-error': (facts) => `must have at most ${rule(facts, 'maxProperties')} properties`,
  'unique-items-error': (facts) => `repeats item ${String(facts.duplicatePointer).split('/').at(-1)}`,
  'no-additional-properties-error': () => 'is not a property that the schema allows',
  'additional-items-error': () => 'has an item that the schema does not allow',
  'additional-properties-error': () => 'has a property that does not fit the schema',
  'unevaluated-property-error': () => 'is not a property that the schema allows',
  'unevaluated-items-error': () => 'is not an item that the schema allows',
  'invalid-property-name-error': () => 'has a property whose name the schema does not allow',
  'missing-dependency-error': (facts) => `needs the property ${JSON.stringify(facts.missingProperty ?? '?')} too`,
  'all-of-error': () => 'must fit every schema of allOf',
  'any-of-error': (facts) =>
    // The library tells no `$id`.
    facts.schema?.['title'] === 'ResourceInput'
      ? 'must be a resource: its id (res_…), {"$resource": id}, a data URI, or the address of a resource of this server'
      : 'must fit at least one schema of anyOf',
  'one-of-error': () => 'must fit one schema of oneOf',
  'multiple-one-of-error': () => 'fits more than one schema of oneOf',
  'not-error': () => 'fits the schema that it must not fit',
  'contains-error': () => 'must have an item that fits the schema of contains',
  'contains-min-error': (facts) =>
    facts.schema?.['minContains'] === undefined
      ? 'must have an item that fits the schema of contains'
      : `must have at least ${rule(facts, 'minContains')} items that fit the schema of contains`,
  'contains-max-error': (facts) =>
    `must have at most ${rule(facts, 'maxContains')} items that fit the schema of contains`,
  'invalid-data-error': () => 'must be absent: the schema allows no value here',
  // About a schema itself; what it quotes is the schema.
  'schema-error': (facts) =>
    String(facts.message ?? 'is not a valid schema')
      .slice(0, 300)
      .toWellFormed(),
};
