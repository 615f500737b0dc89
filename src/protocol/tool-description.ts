import { z } from 'zod';
import { ResourceKind } from './resource.ts';
import { EmbeddedJsonSchema, InvocationCommand, PluginType, TransportProtocol } from './manifest.ts';
import { PluginPermissions } from './permissions.ts';

/** A command as callers see it. */
export const CommandDescription = z.strictObject({
  commandIdentifier: z.string(),
  description: z.string(),
  inputSchema: EmbeddedJsonSchema,
  outputSchema: EmbeddedJsonSchema,
  idempotent: z.boolean(),
  approval: z.boolean(),
  async: z.boolean(),
  errorCodes: z.array(z.string()),
  examples: InvocationCommand.shape.examples.unwrap(),
});
export type CommandDescription = z.infer<typeof CommandDescription>;

/** A tool as callers see it: what it does and how it is called; nothing of how it is run. */
export const ToolDescription = z
  .strictObject({
    name: z.string(),
    displayName: z.string(),
    version: z.string(),
    description: z.string(),
    pluginType: PluginType,
    protocol: TransportProtocol,
    enabled: z.boolean(),
    commandField: z.string(),
    timeoutMs: z.int().nullable().meta({ description: 'Null: as long as the server allows by default.' }),
    permissions: PluginPermissions.nullable().meta({
      description:
        'What a sandboxed tool may do beside computing; null: not sandboxed, it may do what its process may.',
    }),
    commands: z.array(CommandDescription),
  })
  .meta({ id: 'tool-description', title: 'ToolDescription', description: 'A tool as callers see it.' });
export type ToolDescription = z.infer<typeof ToolDescription>;

/** A plugin whose newest state this server does not serve, and why. `name` is null when not even that could be read. */
export const RefusedPlugin = z.strictObject({
  name: z.string().nullable(),
  location: z.string(),
  reason: z.string(),
  issues: z.array(z.object({ pointer: z.string(), message: z.string() })),
  serving: z.string().optional().meta({ description: 'The earlier version that goes on in its place, if one does.' }),
});
export type RefusedPlugin = z.infer<typeof RefusedPlugin>;

/** `GET /v1/tools`. */
export const ToolListing = z
  .strictObject({ tools: z.array(ToolDescription), refused: z.array(RefusedPlugin).optional() })
  .meta({ id: 'tool-listing', title: 'ToolListing', description: 'The tools that a key may call.' });
export type ToolListing = z.infer<typeof ToolListing>;

/** A place that a workflow connection leads to or starts from (§9.2); `pointer` is into the arguments or into `data`. */
export const Port = z.strictObject({
  name: z
    .string()
    .meta({ description: 'Name of the field; empty for the whole, "item" and "value" within lists and maps.' }),
  pointer: z
    .string()
    .meta({ description: 'JSON Pointer from the whole, or from an item or value of the last of `within`.' }),
  within: z
    .array(z.string())
    .meta({ description: 'Pointers of the lists and maps on the way, each from the one before.' }),
  type: z.string().meta({ description: 'JSON types with bars between them, "any", or "resource".' }),
  format: z.string().nullable(),
  required: z.boolean().meta({ description: 'Whether it is there whenever what it is in is there.' }),
  title: z.string().nullable(),
  resourceKind: ResourceKind.nullable().meta({ description: 'Kind of the resource, where the manifest declares one.' }),
  more: z
    .boolean()
    .meta({ description: 'Whether it has parts that are not listed, such as those of a recursive schema.' }),
});
export type Port = z.infer<typeof Port>;

export const CommandPorts = z
  .strictObject({ inputs: z.array(Port), outputs: z.array(Port) })
  .meta({ id: 'command-ports', title: 'CommandPorts', description: 'Inputs and outputs of a command (§9.2).' });
export type CommandPorts = z.infer<typeof CommandPorts>;
