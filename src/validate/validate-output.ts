import { failureOfIssues, type Failure } from '../lib/failure.ts';
import type { Issue } from '../lib/issue.ts';
import { toJsonPointer } from '../lib/json-pointer.ts';
import { isResourceSchema } from '../lib/resource-places.ts';
import { replaceAt } from '../lib/replace-at.ts';
import { schemasOfStep, subschemas } from '../lib/subschemas.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { ToolStatus } from '../protocol/status.ts';
import type { CommandDefinition } from '../registry/plugin-definition.ts';

/** A field of `data` that was a file as text and has become a reference. */
export type ReplacedField = { readonly path: readonly (string | number)[]; readonly text: string };

/**
 * Holds `data` against the command's `outputSchema`, or null when it fits. Only `success` and `partial` are bound
 * by it: an error's diagnostics are never checked against the shape of success. A field that the core replaced fits when
 * the reference does, or else when the text did that the plugin gave; each field for itself.
 */
export const validateOutput = (
  command: CommandDefinition,
  status: ToolStatus,
  data: JsonValue,
  replaced: readonly ReplacedField[],
  reportedIssues: number,
): Failure | null => {
  if (status !== 'success' && status !== 'partial') return null;
  const issues = issuesOf(command, data, replaced);
  if (issues.length === 0) return null;
  const inResult = issues.map((issue) => ({ ...issue, pointer: `/data${issue.pointer}` }));
  return failureOfIssues(
    'INVALID_TOOL_RESULT',
    `the data of ${command.command.commandIdentifier} does not fit its outputSchema`,
    inResult,
    reportedIssues,
    { category: 'validation' },
  );
};

/** Validations beside the first, for fields that fit as texts while others fit as references. */
const MOST_ATTEMPTS = 32;

/** The issues of `data` with those fields put back that only fit as texts; none when some choice fits. */
const issuesOf = (
  { output }: CommandDefinition,
  data: JsonValue,
  replaced: readonly ReplacedField[],
): readonly Issue[] => {
  const withTexts = (fields: readonly ReplacedField[]) =>
    output.validate(
      replaceAt(
        data,
        fields.map(({ path, text }) => ({ path, value: text })),
      ),
    );
  const asReferences = output.validate(data);
  if (asReferences.length === 0 || replaced.length === 0) return asReferences;
  const concerned = replaced.filter(({ path }) => asReferences.some((issue) => concerns(issue, toJsonPointer(path))));
  if (concerned.length === 0) return asReferences;
  const asTexts = withTexts(concerned);
  if (asTexts.length === 0) return asTexts;
  // What the plugin gave may fit as a whole and in no other way.
  if (concerned.length < replaced.length && withTexts(replaced).length === 0) return NONE;

  // Where the schema says which is which; and then one by one, while that leaves fewer issues.
  let texts = concerned.filter(({ path }) => !takesReference(output.schema as JsonValue, path));
  let issues = withTexts(texts);
  for (const field of concerned.slice(0, MOST_ATTEMPTS)) {
    if (issues.length === 0) break;
    const others = texts.filter((one) => one !== field);
    const tried = others.length < texts.length ? others : [...texts, field];
    const left = withTexts(tried);
    if (left.length < issues.length) [texts, issues] = [tried, left];
  }
  return issues.length === 0 ? NONE : asTexts;
};

/** Whether a schema has a reference, or an object, or anything at a place, and not only a text. */
const takesReference = (schema: JsonValue, path: readonly (string | number)[]): boolean => {
  let here = subschemas([schema], schema);
  for (const step of path)
    here = subschemas(
      here.flatMap((one) => schemasOfStep(one, step)),
      schema,
    );
  const types = new Set(here.flatMap(({ type }) => type ?? []));
  return here.some(isResourceSchema) || types.has('object') || !types.has('string');
};

const NONE: readonly Issue[] = [];

/** Whether an issue may come of what stands at a place: it is told there, above it, or below it. */
const concerns = ({ pointer }: Issue, place: string): boolean =>
  `${place}/`.startsWith(`${pointer}/`) || `${pointer}/`.startsWith(`${place}/`);
