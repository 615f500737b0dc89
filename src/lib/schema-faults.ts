import type { Issue } from './issue.ts';
import { parseJsonPointer, toJsonPointer } from './json-pointer.ts';
import { decodeFragment, MAX_SCHEMA_COST, schemaCost } from './schema-cost.ts';
import { unsafePatternReason } from './unsafe-pattern.ts';

/**
 * What makes a schema unfit to run here although it is a valid one: patterns that can backtrack without bound,
 * references that lead elsewhere, combinations that explode, and what would not be heeded. `ours` are the documents that may be referred to.
 */
export const schemaFaults = (schema: object, ours: readonly string[]): Issue[] => {
  const keywords = keywordsOf(schema);
  const faults = [...unsafePatterns(keywords), ...foreignReferences(keywords, ours), ...wrongInline(keywords)];
  if (faults.length > 0) return faults;
  const cost = schemaCost(schema);
  if (cost === Number.POSITIVE_INFINITY) return [{ pointer: '', message: 'has references that never end' }];
  if (cost > MAX_SCHEMA_COST)
    return [{ pointer: '', message: `tries one value against more than ${MAX_SCHEMA_COST} subschemas` }];
  return [];
};

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

/** Looking at a hostile pattern takes a while; after a few, the schema is refused anyway. */
const ENOUGH_UNSAFE_PATTERNS = 4;

const unsafePatterns = (keywords: readonly Keyword[]): Issue[] => {
  const issues: Issue[] = [];
  for (const { pattern, path } of patternsOf(keywords)) {
    issues.push(...patternIssues(pattern, path));
    if (issues.length >= ENOUGH_UNSAFE_PATTERNS) break;
  }
  return issues;
};

const patternsOf = (keywords: readonly Keyword[]): { pattern: string; path: readonly PropertyKey[] }[] =>
  keywords.flatMap(({ key, value, path }) => {
    if (key === 'pattern' && typeof value === 'string') return [{ pattern: value, path }];
    if (key !== 'patternProperties' || typeof value !== 'object' || value === null) return [];
    return Object.keys(value).map((pattern) => ({ pattern, path: [...path, pattern] }));
  });

const patternIssues = (pattern: string, path: readonly PropertyKey[]): Issue[] => {
  const reason = unsafePatternReason(pattern);
  if (reason === null) return [];
  return [{ pointer: toJsonPointer(path), message: `pattern ${JSON.stringify(pattern).slice(0, 120)} ${reason}` }];
};

/** References to documents that are not here. A call must not be the first to find out. */
const foreignReferences = (keywords: readonly Keyword[], ours: readonly string[]): Issue[] => {
  const ids = keywords
    .filter(({ key, value }) => key === '$id' && typeof value === 'string')
    .map(({ value }) => value as string);
  const known = new Set([...ours, ...ids]);
  return keywords.flatMap(({ key, value, path }) => {
    if ((key !== '$ref' && key !== '$dynamicRef') || typeof value !== 'string') return [];
    const [document = '', fragment = ''] = value.split('#');
    if (leadsIntoValue(fragment))
      return [{ pointer: toJsonPointer(path), message: 'refers to a value, not to a schema' }];
    // A relative reference is the library's to resolve against an `$id` of the schema.
    const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(document);
    if (document === '' || known.has(document) || (!isAbsolute && ids.length > 0)) return [];
    return [
      {
        pointer: toJsonPointer(path),
        message: `refers to ${JSON.stringify(value).slice(0, 120)}, which is not part of this schema; nothing is fetched`,
      },
    ];
  });
};

/** `x-inline`, which keeps a text in a result, has one value; another would silently not be heeded. */
const wrongInline = (keywords: readonly Keyword[]): Issue[] =>
  keywords
    .filter(({ key, value }) => key === 'x-inline' && value !== 'keep')
    .map(({ path }) => ({ pointer: toJsonPointer(path), message: 'must be "keep"' }));

/** A reference into `const` or the like would make a schema of what nobody has looked at as one. */
const leadsIntoValue = (fragment: string): boolean => {
  if (!fragment.startsWith('/')) return false;
  let isName = false;
  for (const step of parseJsonPointer(decodeFragment(fragment))) {
    if (!isName && VALUE_KEYWORDS.has(step)) return true;
    isName = !isName && NAMED_SCHEMAS.has(step);
  }
  return false;
};

const NAMED_SCHEMAS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const VALUE_KEYWORDS = new Set(['const', 'enum', 'default', 'examples']);
