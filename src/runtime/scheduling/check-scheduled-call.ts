import { checkJsonValue } from '../../lib/check-json-value.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import type { Failure } from '../../lib/failure.ts';
import type { Issue } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import type { ScheduleRequest } from '../../protocol/schedule.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import { unknownToolMessage } from '../../registry/unknown-tool-message.ts';
import { resolveCommand } from '../../validate/resolve-command.ts';
import { validateArguments } from '../../validate/validate-arguments.ts';

/** What would go wrong if the call were made now: its tool, its command, its arguments; nothing is run. */
export const checkScheduledCall = (
  { tool, arguments: args }: Pick<ScheduleRequest, 'tool' | 'arguments'>,
  registry: ToolRegistry,
  limits: Limits,
  isOffered: (toolName: string) => boolean,
): readonly Issue[] => {
  const plugin = registry.get(tool);
  if (plugin === null) return [{ pointer: '/tool', message: unknownToolMessage(tool, registry, isOffered).message }];
  if (!plugin.enabled) return [{ pointer: '/tool', message: `${tool} is switched off on this server` }];
  const malformed = checkJsonValue(args, limits);
  if (malformed !== null) return [withinArguments(malformed)];
  const resolved = resolveCommand(plugin, args);
  if (!resolved.ok) return issuesOfFailure(resolved.failure);
  const checked = validateArguments(resolved.command, args, limits.reportedIssues);
  return checked.ok ? [] : issuesOfFailure(checked.failure);
};

const withinArguments = ({ pointer, message }: Issue): Issue => ({ pointer: `/arguments${pointer}`, message });

/** A failure of the validation names the places at fault in its details. */
const issuesOfFailure = ({ message, details }: Failure): readonly Issue[] => {
  const facts = isJsonObject(details) ? details : {};
  const { issues, pointer } = facts;
  if (Array.isArray(issues)) return (issues as Issue[]).map(withinArguments);
  return [withinArguments({ pointer: typeof pointer === 'string' ? pointer : '', message })];
};
