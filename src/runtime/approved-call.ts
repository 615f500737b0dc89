import { bindApproval } from '../approval/bind-approval.ts';
import { failureOfChange } from '../approval/approval-failure.ts';
import type { Failure } from '../lib/failure.ts';
import type { ApprovalHeader, HeldCall } from '../ports/approval-store.ts';
import type { CallStore } from '../ports/call-store.ts';
import type { InputResource } from '../ports/transport.ts';
import type { Conversation } from '../protocol/invocation.ts';
import type { CommandDefinition, PluginDefinition } from '../registry/plugin-definition.ts';
import { inputOf } from '../resources/resolve-inputs.ts';
import type { ResourceDependencies } from '../resources/resource-context.ts';
import type { GivenArguments } from './call-run.ts';
import type { ToolRuntimeDependencies } from './execute-request.ts';

/** An approved call, ready for a plugin in the state in which it was approved. */
export type ReadyCall =
  | { readonly ok: true; readonly plugin: PluginDefinition; readonly command: CommandDefinition }
  | { readonly ok: false; readonly failure: Failure };

/** The plugin as it is served now, if what would run on it is what was approved, to the bit, and whoever asked still may. */
export const readyForApproved = async (
  approval: ApprovalHeader,
  { arguments: args, inputs, conversation }: GivenArguments & { readonly conversation: Conversation | null },
  { registry, rights, isUnchanged }: Pick<ToolRuntimeDependencies, 'registry' | 'rights' | 'isUnchanged'>,
): Promise<ReadyCall> => {
  const plugin = registry.get(approval.toolName);
  const command = plugin?.commands.get(approval.command);
  if (plugin === null || command === undefined)
    return { ok: false, failure: failureOfChange(approval, plugin?.manifest.version ?? null) };
  if (!plugin.enabled) {
    return {
      ok: false,
      failure: { code: 'TOOL_DISABLED', message: `${approval.toolName} is switched off on this server` },
    };
  }
  // The rights are those of now: a key that was taken away since has nothing done for it.
  const refusal = rights?.refusalOf(approval.owner, approval.toolName) ?? null;
  if (refusal !== null) return { ok: false, failure: { code: 'FORBIDDEN', message: refusal } };
  const resources = [...inputs.values()].map(({ descriptor: { id, sha256 } }) => ({ id, sha256 }));
  const bound = { plugin, command: approval.command, arguments: args, resources, conversation, actor: approval.actor };
  const hash = await bindApproval(bound);
  // A process is started from the files as they are, also where nobody has looked at them since.
  return hash === approval.hash && (await isUnchanged?.(plugin)) !== false
    ? { ok: true, plugin, command }
    : { ok: false, failure: failureOfChange(approval, plugin.manifest.version) };
};

export type HeldInputs =
  | { readonly ok: true; readonly given: GivenArguments }
  | { readonly ok: false; readonly failure: Failure };

/** The arguments of a call that was held, with the resources among them as they were then. */
export const givenOfHeld = async (
  { arguments: args, resources: held }: HeldCall,
  { calls, resources }: { readonly calls: CallStore; readonly resources: ResourceDependencies },
): Promise<HeldInputs> => {
  const inputs = new Map<string, InputResource>();
  for (const { id, sha256, fileName } of held) {
    const stored = await calls.getResource(id);
    const isThere =
      stored !== null && sha256 !== null && stored.descriptor.sha256 === sha256 && (await resources.store.keep(sha256));
    if (!isThere) {
      const message = `the resource ${id} (${fileName}) among the arguments is not kept any more`;
      return { ok: false, failure: { code: 'FILE_NOT_FOUND', message, details: { resourceId: id } } };
    }
    inputs.set(id, inputOf(stored.descriptor, { resources }));
  }
  return { ok: true, given: { arguments: args, inputs } };
};
