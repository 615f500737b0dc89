import type { TransportCall, TransportTask } from '../ports/transport.ts';
import type { PluginInvocation } from '../protocol/invocation.ts';

/** What every plugin is told of its call, whichever way it goes; a transport adds what only its plugins have. */
export const invocationOf = (
  call: TransportCall,
  own: Pick<PluginInvocation['context'], 'resourceDir'> & Partial<PluginInvocation['context']>,
): PluginInvocation => ({
  command: call.command.commandIdentifier,
  arguments: call.arguments,
  context: {
    invocationId: call.invocationId,
    requestId: call.requestId,
    toolName: call.plugin.manifest.name,
    source: call.source,
    actor: call.actor,
    requestIp: call.requestIp,
    deadline: new Date(call.deadline).toISOString(),
    ...(call.conversation === null ? {} : { conversation: call.conversation }),
    ...(call.task === null ? {} : { task: toldOf(call.task) }),
    ...own,
  },
});

const toldOf = ({ id, callbackUrl, token }: TransportTask) => ({ id, callbackUrl, token });
