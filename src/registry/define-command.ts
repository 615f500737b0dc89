import { compileJsonSchema, type SchemaValidator } from '../lib/json-schema.ts';
import { declaresResources } from '../lib/resource-places.ts';
import { STANDARD_ERROR_CODES } from '../protocol/error.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { CommandDefinition } from './plugin-definition.ts';

/** A command with its compiled schemas. */
export const defineCommand = (
  command: InvocationCommand,
  input: SchemaValidator,
  output: SchemaValidator,
): CommandDefinition => {
  const codes = command.errorCodes?.filter((code) => !Object.hasOwn(STANDARD_ERROR_CODES, code));
  return {
    command,
    input,
    output,
    takesResources: declaresResources(command.inputSchema),
    declaredErrorCodes: command.errorCodes === undefined ? null : new Set(codes),
  };
};

/** A command that was accepted once, and has been kept with a task since; null when its schemas do not compile any more. */
export const restoreCommand = (command: InvocationCommand): CommandDefinition | null => {
  const input = compileJsonSchema(command.inputSchema);
  const output = compileJsonSchema(command.outputSchema);
  return input.ok && output.ok ? defineCommand(command, input.validator, output.validator) : null;
};
