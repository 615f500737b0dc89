import { failureOfIssues, type Failure } from '../lib/failure.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { ToolStatus } from '../protocol/status.ts';
import type { CommandDefinition } from '../registry/plugin-definition.ts';

/**
 * Holds `data` against the command's `outputSchema`, or null when it fits. Only `success` and `partial` are bound
 * by it: an error's diagnostics are never checked against the shape of success.
 */
export const validateOutput = (
  command: CommandDefinition,
  status: ToolStatus,
  data: JsonValue,
  reportedIssues: number,
): Failure | null => {
  if (status !== 'success' && status !== 'partial') return null;
  const issues = command.output.validate(data);
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
