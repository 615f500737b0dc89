import type { JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { CommandPorts, ToolDescription } from '../protocol/tool-description.ts';
import type { PluginDefinition } from './plugin-definition.ts';
import { schemaPorts } from './schema-ports.ts';

/** What callers may know of a plugin. */
export const describeTool = ({ manifest, enabled, commands }: PluginDefinition): ToolDescription => ({
  name: manifest.name,
  displayName: manifest.displayName,
  version: manifest.version,
  description: manifest.description,
  pluginType: manifest.pluginType,
  protocol: manifest.communication.protocol,
  enabled,
  commandField: manifest.commandField,
  timeoutMs: manifest.communication.timeoutMs ?? null,
  permissions: manifest.entryPoint.type === 'wasm' ? (manifest.permissions ?? {}) : null,
  commands: [...commands.values()].map(({ command }) => ({
    commandIdentifier: command.commandIdentifier,
    description: command.description,
    inputSchema: command.inputSchema,
    outputSchema: command.outputSchema,
    idempotent: command.idempotent,
    approval: command.approval,
    async: command.async,
    errorCodes: command.errorCodes ?? [],
    examples: command.examples ?? [],
  })),
});

/** The ports of a command, read from its schemas and never guessed from results. */
export const portsOf = (command: InvocationCommand): CommandPorts => ({
  inputs: schemaPorts(command.inputSchema as JsonValue),
  outputs: schemaPorts(command.outputSchema as JsonValue, command.resourceOutputs),
});
