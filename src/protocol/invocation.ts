import { z } from 'zod';
import { InvocationId, RequestId, TaskId } from './ids.ts';
import { JsonObject } from './json.ts';
import { CommandName, ToolName } from './names.ts';
import { Timestamp } from './timestamp.ts';

/** Where a call came from. */
export const InvocationSource = z.enum([
  'ai-loop',
  'human',
  'workflow',
  'scheduler',
  'bridge',
  'mcp',
  'distributed',
  'callback',
  'cli',
]);
export type InvocationSource = z.infer<typeof InvocationSource>;

/** On whose behalf a call is made (§5.3). */
export const Actor = z
  .strictObject({
    type: z.enum(['agent', 'human', 'service', 'system']),
    id: z.string().max(256).nullable().default(null),
    name: z.string().max(256).nullable().default(null),
    maid: z.string().max(256).nullable().default(null),
  })
  .meta({ id: 'actor', title: 'Actor', description: 'On whose behalf a call is made (§5.3).' });
export type Actor = z.infer<typeof Actor>;

/** The views that one stored result has (§2.1). */
export const ResultView = z.enum(['canonical', 'workflow', 'ai', 'bridge', 'audit']);
export type ResultView = z.infer<typeof ResultView>;

/** §14.1: `approval` and `record` can only tighten what policy says. Durations are in milliseconds. */
export const InvocationOptions = z.strictObject({
  approval: z.boolean().optional(),
  record: z.boolean().optional(),
  timeoutMs: z.int().min(1).max(86_400_000).optional(),
});
export type InvocationOptions = z.infer<typeof InvocationOptions>;

/** A call as the runtime takes it (§14.1), without its AbortSignal. */
export const Invocation = z
  .strictObject({
    toolName: z.string().min(1).max(256),
    arguments: JsonObject.default({}),
    context: z.strictObject({
      source: InvocationSource,
      actor: Actor.nullable().default(null),
      requestIp: z.string().max(64).nullable().default(null),
      nodeId: z.string().max(128).nullable().default(null),
      requestId: RequestId.optional(),
    }),
    options: InvocationOptions.default({}),
  })
  .meta({ id: 'invocation', title: 'Invocation', description: 'A call as the runtime takes it (§14.1).' });
export type Invocation = z.infer<typeof Invocation>;

/** `POST /v1/human/tool` (§9.1). */
export const HumanToolRequest = z
  .strictObject({
    tool: z.string().min(1).max(256),
    arguments: JsonObject.default({}),
    options: InvocationOptions.extend({ view: ResultView.optional() }).default({}),
  })
  .meta({ id: 'human-tool-request', title: 'HumanToolRequest', description: 'POST /v1/human/tool (§9.1).' });
export type HumanToolRequest = z.infer<typeof HumanToolRequest>;

/** Messages of the conversation that a call was made in, the oldest first, where the call asks for them (`river`). */
export const Conversation = z.strictObject({
  messages: z.array(JsonObject).meta({ description: "In the words of OpenAI's Chat Completions." }),
  omitted: z.int().nonnegative().meta({ description: 'Earlier messages that were asked for and had no room.' }),
});
export type Conversation = z.infer<typeof Conversation>;

/** What a plugin outside the process is told of a call: the payload of the stdin frame, and the input of a sandboxed guest. */
export const PluginInvocation = z
  .strictObject({
    command: CommandName,
    arguments: JsonObject,
    context: z.strictObject({
      invocationId: InvocationId,
      requestId: RequestId,
      toolName: ToolName,
      source: InvocationSource,
      actor: Actor.nullable(),
      requestIp: z.string().nullable(),
      deadline: Timestamp,
      resourceDir: z.string().nullable(),
      now: Timestamp.optional().meta({
        description: 'When the call began; for guests of the sandbox, which have no clock.',
      }),
      timeZone: z.string().max(128).optional().meta({ description: 'IANA time zone of the server; for guests.' }),
      seed: z.int().min(0).max(0xffff_ffff).optional().meta({ description: 'A random number; for guests.' }),
      conversation: Conversation.optional(),
      task: z.strictObject({ id: TaskId, callbackUrl: z.string(), token: z.string() }).optional(),
    }),
  })
  .meta({ id: 'plugin-invocation', title: 'PluginInvocation', description: 'What a plugin is told of a call.' });
export type PluginInvocation = z.infer<typeof PluginInvocation>;
