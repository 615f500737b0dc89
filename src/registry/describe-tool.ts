import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginDefinition } from './plugin-definition.ts';

/** A tool as callers see it: what it does and how it is called; nothing of how it is run. */
export type ToolDescription = {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly description: string;
  readonly pluginType: string;
  readonly protocol: string;
  readonly enabled: boolean;
  readonly commandField: string;
  readonly timeoutMs: number;
  readonly commands: readonly CommandDescription[];
};

export type CommandDescription = Pick<
  InvocationCommand,
  'commandIdentifier' | 'description' | 'inputSchema' | 'outputSchema' | 'idempotent' | 'approval' | 'async'
> & { readonly errorCodes: readonly string[]; readonly examples: InvocationCommand['examples'] };

export const describeTool = ({ manifest, commands }: PluginDefinition): ToolDescription => ({
  name: manifest.name,
  displayName: manifest.displayName,
  version: manifest.version,
  description: manifest.description,
  pluginType: manifest.pluginType,
  protocol: manifest.communication.protocol,
  enabled: manifest.enabled,
  commandField: manifest.commandField,
  timeoutMs: manifest.communication.timeoutMs,
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

/** A place that a workflow connection can start from or lead to (§9.2). `pointer` is into arguments or `data`. */
export type Port = { readonly pointer: string; readonly type: string; readonly required: boolean; readonly title: string | null };

export type Ports = { readonly inputs: readonly Port[]; readonly outputs: readonly Port[] };

/** The ports of a command, read from its schemas and never guessed from results. */
export const portsOf = (command: InvocationCommand): Ports => ({
  inputs: schemaPorts(command.inputSchema, ''),
  outputs: schemaPorts(command.outputSchema, ''),
});

const PORT_DEPTH = 4;

const schemaPorts = (schema: JsonValue, pointer: string, required = true, depth = 0): Port[] => {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [{ pointer, type: 'any', required, title: null }];
  const node = schema as JsonObject;
  const title = typeof node['title'] === 'string' ? node['title'] : null;
  const port: Port = { pointer, type: typeOf(node), required, title };
  const properties = node['properties'];
  if (depth >= PORT_DEPTH || typeof properties !== 'object' || properties === null) return [port];
  const needed = Array.isArray(node['required']) ? (node['required'] as JsonValue[]) : [];
  const children = Object.entries(properties as JsonObject).flatMap(([name, child]) =>
    schemaPorts(child as JsonValue, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, needed.includes(name), depth + 1),
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
