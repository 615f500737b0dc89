import { failureOfIssues, type Failure } from '../lib/failure.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
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
      issues,
      reportedIssues,
    ),
  };
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
