import { toJsonPointer } from '../lib/json-pointer.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { CommandPorts, Port, ToolDescription } from '../protocol/tool-description.ts';
import type { PluginDefinition } from './plugin-definition.ts';

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
  inputs: schemaPorts(command.inputSchema, ''),
  outputs: schemaPorts(command.outputSchema, ''),
});

const PORT_DEPTH = 4;

const schemaPorts = (schema: JsonValue, pointer: string, required = true, depth = 0): Port[] => {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return [{ pointer, type: 'any', required, title: null }];
  const node = schema as JsonObject;
  const title = typeof node['title'] === 'string' ? node['title'] : null;
  const port: Port = { pointer, type: typeOf(node), required, title };
  if (depth >= PORT_DEPTH) return [port];
  const needed = Array.isArray(node['required']) ? (node['required'] as JsonValue[]) : [];
  const children = Object.entries(schemaProperties(node)).flatMap(([name, child]) =>
    schemaPorts(child, `${pointer}${toJsonPointer([name])}`, needed.includes(name), depth + 1),
  );
  return [port, ...children];
};

const typeOf = (schema: JsonObject): string => {
  if (schema['$ref'] === 'urn:vcp:schema:1.0:resource-reference') return 'resource';
  const { type } = schema as { type?: JsonValue };
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.join('|');
  const fixed = schema['const'];
  return fixed === undefined ? 'any' : fixed === null ? 'null' : typeof fixed;
};
