import { judgeApproval, type ApprovalVerdict } from '../approval/judge-approval.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import { resolveCommand } from '../validate/resolve-command.ts';
import type { ExecuteRequest, ToolRuntimeDependencies } from './execute-request.ts';

/** What the manifest, the rules of now and the caller say of a call of this command. */
export const approvalVerdict = (
  { toolName, context, options }: ExecuteRequest,
  command: InvocationCommand,
  { approvalRules }: Pick<ToolRuntimeDependencies, 'approvalRules'>,
): ApprovalVerdict =>
  judgeApproval(
    {
      toolName,
      command: command.commandIdentifier,
      owner: context.owner,
      roles: context.roles ?? null,
      source: context.source,
      origin: context.origin ?? null,
      byManifest: command.approval,
      byCaller: options?.approval === true,
    },
    approvalRules.current(),
  );

/** Milliseconds for which the answer to a call may have to wait for an approval, beside the time that the call takes. */
export const approvalPatience = (
  request: ExecuteRequest,
  dependencies: Pick<ToolRuntimeDependencies, 'approvalRules' | 'registry' | 'limits'>,
): number => {
  const plugin = dependencies.registry.get(request.toolName);
  const resolved = plugin === null ? null : resolveCommand(plugin, request.arguments);
  if (resolved === null || !resolved.ok) return 0;
  const verdict = approvalVerdict(request, resolved.command.command, dependencies);
  return verdict.kind === 'ask' ? dependencies.limits.approvalWaitMs : 0;
};
