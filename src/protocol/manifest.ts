import { z } from 'zod';
import { AiAdvice } from './ai-advice.ts';
import { ErrorCode } from './error.ts';
import { JsonObject } from './json.ts';
import { CommandName, ToolName } from './names.ts';
import { PluginPermissions } from './permissions.ts';
import { Presentation } from './presentation.ts';
import { ClientType } from './push.ts';
import { ResourceKind, ResourceRole } from './resource.ts';
import { ProtocolIdentity } from './version.ts';

/** `synchronous`, `asynchronous` and `hybridservice` can be called; the others serve in other ways. */
export const PluginType = z.enum([
  'synchronous',
  'asynchronous',
  'hybridservice',
  'static',
  'messagePreprocessor',
  'service',
]);
export type PluginType = z.infer<typeof PluginType>;

export const CALLABLE_PLUGIN_TYPES: ReadonlySet<PluginType> = new Set(['synchronous', 'asynchronous', 'hybridservice']);

export const TransportProtocol = z.enum(['stdio', 'direct', 'distributed', 'mcp']);
export type TransportProtocol = z.infer<typeof TransportProtocol>;

const relativeFile = z
  .string()
  .max(1_024)
  .regex(/^(?![/\\]|[A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$)).+$/, {
    error: 'must be a path inside the plugin directory, without ".."',
  });

export const EntryPoint = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('command'),
    command: z.string().min(1).max(1_024),
    args: z.array(z.string().max(4_096)).max(256).default([]),
  }),
  z.strictObject({ type: z.literal('wasm'), file: relativeFile }),
  z.strictObject({ type: z.literal('module'), file: relativeFile }),
]);
export type EntryPoint = z.infer<typeof EntryPoint>;

export const Communication = z.strictObject({
  protocol: TransportProtocol,
  timeoutMs: z.int().min(1).max(86_400_000).optional().meta({ description: 'Milliseconds a call may take.' }),
  taskTimeoutMs: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Milliseconds that a task of an asynchronous command may take; the server has a limit too.' }),
  mode: z
    .enum(['oneshot', 'worker'])
    .default('oneshot')
    .meta({ description: 'One process for each call, or long-lived processes that answer many; stdio only.' }),
  concurrency: z.int().min(1).max(1_024).optional().meta({ description: 'Calls of this tool that may run at once.' }),
  processes: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .meta({ description: 'Mode worker: most processes that share the calls.' }),
  standby: z.boolean().default(false).meta({
    description:
      'Mode oneshot: a process may be started before its call, because the program does nothing until it has read its frame.',
  }),
});

/** Sizes are bytes, memory is 64 KiB pages, fuel is instructions. */
export const PluginLimits = z.strictObject({
  memoryPages: z.int().min(1).max(65_536).optional(),
  fuel: z.int().min(1).optional(),
  outputBytes: z.int().min(1).optional(),
  logBytes: z.int().min(0).optional(),
});

/** What a plugin's calls push to the clients of whoever made them, when they have ended. */
export const WebSocketPush = z.strictObject({
  enabled: z.boolean(),
  messageType: z.string().min(1).max(128).default('result').meta({ description: 'The `name` of the pushed message.' }),
  usePluginResultAsMessage: z
    .boolean()
    .default(true)
    .meta({ description: "Whether the message holds the result's data, or says only how the call ended." }),
  targetClientType: ClientType.nullable()
    .default(null)
    .meta({ description: 'Only connections of this client type get it; null: all.' }),
});
export type WebSocketPush = z.infer<typeof WebSocketPush>;

/** A JSON Schema, 2020-12 unless its `$schema` says draft-07. */
export const EmbeddedJsonSchema = z.union([JsonObject, z.boolean()]);

export const ResourceOutput = z.strictObject({
  field: z.string().regex(/^(\/([^~/]|~[01])*)*$/, { error: 'must be a JSON Pointer, such as "/image"' }),
  kind: ResourceKind.optional(),
  role: ResourceRole.optional(),
});
export type ResourceOutput = z.infer<typeof ResourceOutput>;

export const InvocationCommand = z.strictObject({
  commandIdentifier: CommandName,
  displayName: z.string().max(128).optional(),
  description: z.string().min(1).max(16_384),
  inputSchema: EmbeddedJsonSchema,
  outputSchema: EmbeddedJsonSchema,
  presentation: Presentation.optional(),
  aiAdvice: AiAdvice.optional(),
  resourceOutputs: z.array(ResourceOutput).optional(),
  errorCodes: z.array(ErrorCode).optional(),
  examples: z.array(z.strictObject({ description: z.string().optional(), arguments: JsonObject })).optional(),
  idempotent: z.boolean().default(false),
  approval: z.boolean().default(false),
  async: z.boolean().default(false),
  mirror: z.boolean().default(false),
});
export type InvocationCommand = z.infer<typeof InvocationCommand>;

/** `plugin-manifest.json`, version 1 (§15). */
export const PluginManifest = z
  .strictObject({
    $schema: z.string().optional(),
    manifestVersion: z.literal('1.0'),
    name: ToolName,
    displayName: z.string().min(1).max(128),
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?$/, { error: 'must be a semantic version, such as "1.0.0"' }),
    description: z.string().max(16_384),
    pluginType: PluginType,
    toolResultProtocol: ProtocolIdentity,
    entryPoint: EntryPoint,
    communication: Communication,
    commandField: z.string().min(1).max(128).default('command'),
    capabilities: z.strictObject({
      invocationCommands: z.array(InvocationCommand).default([]),
      systemPromptPlaceholders: z
        .array(z.strictObject({ placeholder: z.string().min(1).max(128), description: z.string().optional() }))
        .optional(),
    }),
    limits: PluginLimits.optional(),
    permissions: PluginPermissions.optional(),
    configSchema: EmbeddedJsonSchema.optional(),
    approval: z
      .boolean()
      .default(false)
      .meta({ description: 'Every command needs a person’s approval, as if each said so itself.' }),
    enabled: z.boolean().default(true),
    resourceRoot: relativeFile.optional(),
    webSocketPush: WebSocketPush.optional(),
    refreshCron: z.string().max(128).optional(),
  })
  .meta({ id: 'plugin-manifest', title: 'PluginManifest', description: 'plugin-manifest.json, version 1 (§15).' });
export type PluginManifest = z.infer<typeof PluginManifest>;
