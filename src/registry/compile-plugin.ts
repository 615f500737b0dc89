import { describeIssues, issuesOf, type Issue } from '../lib/issue.ts';
import { toJsonPointer } from '../lib/json-pointer.ts';
import { compileJsonSchema, type SchemaValidator } from '../lib/json-schema.ts';
import { DEFAULT_LIMITS } from '../lib/limits.ts';
import { parseJson } from '../lib/parse-json.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
import { resourceConstraintFaults } from '../lib/resource-places.ts';
import { ToolName } from '../protocol/names.ts';
import { CALLABLE_PLUGIN_TYPES, PluginManifest, type InvocationCommand } from '../protocol/manifest.ts';
import type { RefusedPlugin } from '../protocol/tool-description.ts';
import { impliedCommand } from './implied-command.ts';
import { placeholderIssues } from './placeholder-issues.ts';
import { defineCommand } from './define-command.ts';
import type { CommandDefinition, PluginDefinition } from './plugin-definition.ts';

/** As many characters of a name that cannot be used as are shown. */
const SHOWN_NAME_CHARACTERS = 64;

/** A manifest as it was found: its text, the directory it stands in, and where to point when it is refused. */
export type FoundManifest = {
  readonly text: string;
  readonly directory: string | null;
  readonly location: string;
};

export type CompiledPlugin =
  | { readonly ok: true; readonly definition: PluginDefinition }
  | { readonly ok: false; readonly refused: RefusedPlugin };

/**
 * Reads one manifest and compiles all its schemas (§15). Whatever is wrong refuses this plugin alone, with every
 * fault named by its pointer into the manifest.
 */
export const compilePlugin = (found: FoundManifest): CompiledPlugin => {
  const parsed = parseJson(found.text.replace(/^\uFEFF/, ''), DEFAULT_LIMITS);
  if (!parsed.ok) return refuse(found, null, 'the manifest cannot be read', [parsed.issue]);

  const name = nameOf(parsed.value);
  const checked = PluginManifest.safeParse(parsed.value);
  if (!checked.success)
    return refuse(found, name, `${titleOf(parsed.value, name)} is not valid`, issuesOf(checked.error));

  const manifest = checked.data;
  const issues: Issue[] = consistencyIssues(manifest);
  const commands = new Map<string, CommandDefinition>();
  const several = manifest.capabilities.invocationCommands.length > 1;
  manifest.capabilities.invocationCommands.forEach((command, index) => {
    const path = ['capabilities', 'invocationCommands', index];
    const approval = command.approval || manifest.approval;
    const compiled = compileCommand({ ...command, approval }, path, several, manifest.commandField);
    if (Array.isArray(compiled)) issues.push(...(compiled as Issue[]));
    else if (commands.has(command.commandIdentifier)) {
      issues.push({ pointer: toJsonPointer([...path, 'commandIdentifier']), message: 'is used by an earlier command' });
    } else commands.set(command.commandIdentifier, compiled as CommandDefinition);
  });
  if (manifest.configSchema !== undefined) issues.push(...configIssues(manifest.configSchema));
  issues.push(...unattendedIssues(manifest, commands));
  if (issues.length > 0) return refuse(found, name, 'the manifest cannot be used', issues);

  const implied = commands.size === 0 ? impliedCommand(manifest.pluginType) : null;
  if (implied !== null) commands.set(implied.command.commandIdentifier, implied);
  const { enabled } = manifest;
  return { ok: true, definition: { manifest, directory: found.directory, enabled, revision: '', commands } };
};

/** A command that the server runs by itself has nobody who would give it arguments. */
const unattendedIssues = (
  { pluginType, capabilities }: PluginManifest,
  commands: ReadonlyMap<string, CommandDefinition>,
): Issue[] => {
  if (pluginType === 'messagePreprocessor' && capabilities.invocationCommands.length > 0) {
    return [{ pointer: '/capabilities/invocationCommands', message: 'must be empty for a message preprocessor' }];
  }
  if (pluginType !== 'static') return [];
  return [...commands.values()].flatMap(({ input }) =>
    input.validate({}).length === 0
      ? []
      : [
          {
            pointer: '/capabilities/invocationCommands/0/inputSchema',
            message: 'must take an empty object: the server refreshes a static plugin without arguments',
          },
        ],
  );
};

const compileCommand = (
  command: InvocationCommand,
  path: readonly PropertyKey[],
  several: boolean,
  commandField: string,
): CommandDefinition | Issue[] => {
  const input = compileJsonSchema(command.inputSchema);
  const output = compileJsonSchema(command.outputSchema);
  if (!input.ok || !output.ok) {
    return [
      ...(input.ok ? [] : below(input.issues, [...path, 'inputSchema'])),
      ...(output.ok ? [] : below(output.issues, [...path, 'outputSchema'])),
    ];
  }
  const misleading = [
    ...(several ? unnameable(command, input.validator, commandField, path) : []),
    ...exampleIssues(command, input.validator, path),
    ...below(resourceConstraintFaults(command.inputSchema), [...path, 'inputSchema']),
  ];
  if (misleading.length > 0) return misleading;
  return defineCommand(command, input.validator, output.validator);
};

const configIssues = (schema: NonNullable<PluginManifest['configSchema']>): Issue[] => {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) return below(compiled.issues, ['configSchema']);
  if (typeof schema === 'object' && typeof schema['properties'] === 'object') return [];
  return [{ pointer: '/configSchema', message: 'must name the variables of the plugin in "properties"' }];
};

/** What no single field can say: the parts of a manifest that must fit each other. */
const consistencyIssues = (manifest: PluginManifest): Issue[] => {
  const issues: Issue[] = [];
  const { protocol } = manifest.communication;
  const entry = manifest.entryPoint.type;
  if (protocol === 'stdio' && entry !== 'command') {
    issues.push({ pointer: '/entryPoint/type', message: 'must be "command" when communication.protocol is "stdio"' });
  }
  if (protocol === 'direct' && entry === 'command') {
    issues.push({
      pointer: '/entryPoint/type',
      message: 'must be "module" or "wasm" when communication.protocol is "direct"',
    });
  }
  if (entry === 'wasm' && protocol !== 'direct' && protocol !== 'stdio') {
    issues.push({
      pointer: '/communication/protocol',
      message: 'must be "direct" when entryPoint.type is "wasm"',
    });
  }
  if (manifest.communication.mode === 'worker' && protocol !== 'stdio') {
    issues.push({
      pointer: '/communication/mode',
      message: 'can be "worker" only when communication.protocol is "stdio"',
    });
  }
  if (manifest.communication.processes > 1 && manifest.communication.mode !== 'worker') {
    issues.push({
      pointer: '/communication/processes',
      message: 'is for communication.mode "worker"; with one process a call, concurrency says how many run at once',
    });
  }
  issues.push(...configGrantIssues(manifest), ...placeholderIssues(manifest));
  const commands = manifest.capabilities.invocationCommands;
  if (CALLABLE_PLUGIN_TYPES.has(manifest.pluginType) && commands.length === 0) {
    issues.push({
      pointer: '/capabilities/invocationCommands',
      message: `must name at least one command, because pluginType is "${manifest.pluginType}"`,
    });
  }
  if (manifest.pluginType === 'service') {
    if (protocol !== 'direct' || entry !== 'module') {
      issues.push({
        pointer: '/entryPoint/type',
        message: 'must be "module", with communication.protocol "direct", because a service runs inside the server',
      });
    }
    if (commands.length > 0) {
      issues.push({
        pointer: '/capabilities/invocationCommands',
        message: 'must be empty: a service that can be called has the pluginType "hybridservice"',
      });
    }
  }
  commands.forEach((command, index) => {
    if (command.async && manifest.pluginType === 'static') {
      issues.push({
        pointer: `/capabilities/invocationCommands/${index}/async`,
        message: 'is not possible for a static plugin',
      });
    }
  });
  return issues;
};

/** A grant of a value that no configuration has would look like one that is only not set. */
const configGrantIssues = ({ permissions, configSchema }: PluginManifest): Issue[] => {
  const named = typeof configSchema === 'object' ? schemaProperties(configSchema) : {};
  return (permissions?.config ?? []).flatMap((key, index) =>
    Object.hasOwn(named, key)
      ? []
      : [{ pointer: `/permissions/config/${index}`, message: `"${key}" is not in "properties" of configSchema` }],
  );
};

/** A command among several that its own schema would refuse whenever it is named. */
const unnameable = (
  command: InvocationCommand,
  input: SchemaValidator,
  field: string,
  path: readonly PropertyKey[],
): Issue[] => {
  const named = { [field]: command.commandIdentifier };
  if (input.validate(named).every(({ pointer }) => pointer !== toJsonPointer([field]))) return [];
  return [
    {
      pointer: toJsonPointer([...path, 'inputSchema']),
      message: `must have the property "${field}" with the const "${command.commandIdentifier}", because the tool has several commands`,
    },
  ];
};

/** An example that its own schema refuses would teach every caller a wrong call. */
const exampleIssues = (command: InvocationCommand, input: SchemaValidator, path: readonly PropertyKey[]): Issue[] =>
  (command.examples ?? []).flatMap((example, index) =>
    below(input.validate(example.arguments), [...path, 'examples', index, 'arguments']),
  );

const below = (issues: readonly Issue[], path: readonly PropertyKey[]): Issue[] =>
  issues.map((issue) => ({ ...issue, pointer: toJsonPointer(path) + issue.pointer }));

/** A name that no tool can have is none: what goes by the names of plugins, paths among it, may rely on their form. */
const nameOf = (manifest: unknown): string | null => ToolName.safeParse(rawNameOf(manifest)).data ?? null;

const rawNameOf = (manifest: unknown): unknown => (manifest as { name?: unknown } | null)?.name;

const titleOf = (manifest: unknown, name: string | null): string => {
  const raw = rawNameOf(manifest);
  return name === null && typeof raw === 'string'
    ? `the manifest of ${JSON.stringify(raw.slice(0, SHOWN_NAME_CHARACTERS))}`
    : 'the manifest';
};

const refuse = (found: FoundManifest, name: string | null, what: string, issues: readonly Issue[]): CompiledPlugin => ({
  ok: false,
  refused: {
    name,
    location: found.location,
    reason: `${what}: ${describeIssues(issues)}`,
    issues: issues.map(({ pointer, message }) => ({ pointer, message })),
  },
});
