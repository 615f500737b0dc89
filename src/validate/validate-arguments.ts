import { failureOfIssues, type Failure } from '../lib/failure.ts';
import type { Issue } from '../lib/issue.ts';
import { parseJsonPointer } from '../lib/json-pointer.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
import { suggestName } from '../lib/suggest.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { CommandDefinition } from '../registry/plugin-definition.ts';

export type ValidatedArguments =
  | { readonly ok: true; readonly arguments: JsonObject }
  | { readonly ok: false; readonly failure: Failure };

/** Defaults of top-level properties are filled in, then the whole is held against the command's `inputSchema`. */
export const validateArguments = (
  command: CommandDefinition,
  given: JsonObject,
  reportedIssues: number,
): ValidatedArguments => {
  const args = withDefaults(command, given);
  const issues = command.input.validate(args);
  if (issues.length === 0) return { ok: true, arguments: args };
  const onlyMissing = issues.every((issue) => issue.code === 'required');
  return {
    ok: false,
    failure: failureOfIssues(
      onlyMissing ? 'MISSING_ARGUMENT' : 'INVALID_ARGUMENT',
      `arguments of ${command.command.commandIdentifier} are not valid`,
      issues.map((issue, index) => (index < reportedIssues ? withSuggestion(issue, command) : issue)),
      reportedIssues,
    ),
  };
};

/** Characters beyond which no name is taken for a mistyped one. */
const LONGEST_NAME = 64;

/** An argument that the schema does not know may be a mistyped one that it knows. */
const withSuggestion = (issue: Issue, { command }: CommandDefinition): Issue => {
  if (issue.code !== 'no-additional-properties-error' && issue.code !== 'unevaluated-property-error') return issue;
  const [name, ...deeper] = parseJsonPointer(issue.pointer);
  if (name === undefined || name.length > LONGEST_NAME || deeper.length > 0) return issue;
  const near = suggestName(name, Object.keys(schemaProperties(command.inputSchema)));
  return near === null ? issue : { ...issue, message: `${issue.message}; did you mean "${near}"?` };
};

const withDefaults = (command: CommandDefinition, given: JsonObject): JsonObject => {
  let filled: Record<string, JsonValue> | null = null;
  for (const [name, property] of Object.entries(schemaProperties(command.command.inputSchema))) {
    if (Object.hasOwn(given, name) || typeof property !== 'object' || property === null) continue;
    const value = (property as JsonObject)['default'];
    if (value === undefined) continue;
    filled ??= { ...given };
    // A copy: an in-process plugin may change what it is given, and the manifest serves the next call too.
    filled[name] = structuredClone(value) as JsonValue;
  }
  return filled ?? given;
};
