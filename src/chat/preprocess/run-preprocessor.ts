import { z } from 'zod';
import { createDeadline } from '../../lib/deadline.ts';
import { describeIssues, issuesOf } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { CallStopped } from '../../ports/transport.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { PluginDefinition } from '../../registry/plugin-definition.ts';
import type { ToolPlaces } from '../../runtime/tool-places.ts';
import { selectTransport, type Transports } from '../../transport/select-transport.ts';
import { validatePayload } from '../../validate/validate-payload.ts';
import { ChatMessage } from '../chat-message.ts';

/** The request that messages belong to. */
export type MessageRequest = {
  readonly model: string;
  readonly requestId: string;
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
};

export type PreprocessorDependencies = {
  readonly transports: Transports;
  readonly places: Pick<ToolPlaces, 'enter'>;
  readonly ids: IdSource;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<Limits, 'preprocessorMs' | 'preprocessedCharacters' | 'reportedIssues'>;
};

/** Why a preprocessor did not do its work, in words for whoever runs the server. */
export type Preprocessed =
  | { readonly ok: true; readonly messages: readonly ChatMessage[] }
  | { readonly ok: false; readonly reason: string };

const Processed = z.object({ messages: z.array(ChatMessage).min(1) });

/**
 * Lets one preprocessor change messages. It is carried like a call, and has no resources: what stands in a message, a
 * picture as text too, is the request's own and stays there. It rejects only when the request itself was ended.
 */
export const runPreprocessor = async (
  plugin: PluginDefinition,
  messages: readonly ChatMessage[],
  request: MessageRequest,
  dependencies: PreprocessorDependencies,
): Promise<Preprocessed> => {
  const { places, ids, clock, limits } = dependencies;
  const [command] = plugin.commands.values();
  const transport = selectTransport(dependencies.transports, plugin.manifest);
  if (command === undefined || transport === null) return { ok: false, reason: 'this server has no way to run it' };
  const timeoutMs = plugin.manifest.communication.timeoutMs ?? limits.preprocessorMs;
  const deadline = createDeadline({ now: clock.now(), timeoutMs, signal: request.signal });
  let release: (() => void) | null = null;
  let straggler: Promise<unknown> | null = null;
  try {
    release = await places.enter(plugin, deadline.signal);
    const reply = await transport.execute({
      plugin,
      command: command.command,
      arguments: { messages, model: request.model } as unknown as JsonObject,
      invocationId: ids.next('invocation'),
      requestId: request.requestId,
      source: 'ai-loop',
      actor: null,
      requestIp: null,
      owner: request.owner,
      deadline: deadline.at,
      signal: deadline.signal,
      ...NO_RESOURCES,
    });
    return judge(reply.payload, plugin, limits);
  } catch (error) {
    request.signal?.throwIfAborted();
    // A module that does not heed its signal keeps its place until it ends.
    if (error instanceof CallStopped) straggler = error.work;
    const isLate = deadline.reason() === 'timeout';
    return { ok: false, reason: isLate ? `it was not done within ${timeoutMs} ms` : messageOf(error) };
  } finally {
    deadline.dispose();
    const free = release ?? (() => undefined);
    if (straggler === null) free();
    else straggler.then(free, free);
  }
};

const judge = (
  answer: unknown,
  { manifest }: PluginDefinition,
  { reportedIssues, preprocessedCharacters }: PreprocessorDependencies['limits'],
): Preprocessed => {
  const validated = validatePayload(answer, { pluginType: manifest.pluginType, async: false, reportedIssues });
  if (!validated.ok) return { ok: false, reason: validated.failure.message };
  const { status, data, error } = validated.payload;
  if (status !== 'success' && status !== 'partial')
    return { ok: false, reason: error === null ? `it answered "${status}"` : `${error.code}: ${error.message}` };
  const checked = Processed.safeParse(data);
  if (!checked.success)
    return { ok: false, reason: `its answer is not valid: ${describeIssues(issuesOf(checked.error))}` };
  const { messages } = checked.data;
  if (JSON.stringify(messages).length > preprocessedCharacters)
    return { ok: false, reason: `its messages have more than ${preprocessedCharacters} characters` };
  return { ok: true, messages };
};

const NO_RESOURCES = {
  resourceWriter: { write: () => Promise.reject(new Error('a message preprocessor leaves no resources')) },
  resourceReader: { read: () => Promise.resolve(null) },
  inputResources: new Map<string, never>(),
  resourceDirectory: () => Promise.resolve(null),
  conversation: null,
  task: null,
  reportProgress: () => undefined,
} as const;
