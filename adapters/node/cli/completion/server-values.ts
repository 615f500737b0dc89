import { listedValues, describeType } from '../describe-schema.ts';
import { schemaOfFields } from '../../../../src/instruction/select-command.ts';
import { schemaProperties } from '../../../../src/lib/schema-properties.ts';
import type { VcpClient } from '../../../../src/client/vcp-client.ts';
import { KeyRole } from '../../../../src/protocol/api-keys.ts';
import type { JsonValue } from '../../../../src/protocol/json.ts';
import type { ToolDescription } from '../../../../src/protocol/tool-description.ts';
import { installedSchemas } from '../schema.ts';
import { NOTHING, valuesOf, type Candidate, type Completion } from './candidate.ts';
import type { LineSoFar, ValueSource } from './complete-words.ts';

/** Recent calls that are offered. */
const RECENT = 20;

/** Values by the name that help gives them, so that a new command has them as soon as it uses the name. */
export const createServerValues = (connectFor: (line: LineSoFar) => VcpClient, signal: AbortSignal): ValueSource => {
  const toolOf = async (line: LineSoFar): Promise<ToolDescription | null> => {
    const [name] = line.positionals;
    return name === undefined ? null : await connectFor(line).getTool(name, { signal });
  };

  const recent = async (line: LineSoFar, idOf: (record: { id: string; resultId: string }) => string) => {
    const { records } = await connectFor(line).listRecords({ limit: RECENT }, { signal });
    return valuesOf(
      records.map((record) => ({
        value: idOf(record),
        description: `${record.startedAt} ${record.toolName} ${record.command ?? ''} ${record.status}`,
      })),
    );
  };

  const sources: Readonly<Record<string, (line: LineSoFar) => Promise<Completion>>> = {
    tool: async (line) => {
      const { tools } = await connectFor(line).listTools({ signal });
      return valuesOf(tools.map(({ name, displayName }) => ({ value: name, description: displayName })));
    },
    command: async (line) => {
      const tool = await toolOf(line);
      return valuesOf(
        (tool?.commands ?? []).map((one) => ({ value: one.commandIdentifier, description: one.description })),
      );
    },
    'name=value': async (line) => {
      const tool = await toolOf(line);
      return tool === null ? NOTHING : argumentValues(tool, line);
    },
    plugin: async (line) => {
      const { plugins } = await connectFor(line).listPlugins({ signal });
      return valuesOf(
        plugins.flatMap(({ name, state }) => (name === null ? [] : [{ value: name, description: state }])),
      );
    },
    task: async (line) => {
      const { tasks } = await connectFor(line).listTasks({ limit: RECENT }, { signal });
      return valuesOf(tasks.map(({ id, tool, state }) => ({ value: id, description: `${tool} ${state}` })));
    },
    role: async () => valuesOf(KeyRole.options.map((value) => ({ value }))),
    result: (line) => recent(line, ({ resultId }) => resultId),
    record: (line) => recent(line, ({ id }) => id),
    resource: async (line) => {
      const { records } = await connectFor(line).listRecords({ limit: RECENT }, { signal });
      return valuesOf(records.flatMap(({ audit }) => resourceCandidates(audit['resources'])));
    },
    schedule: async (line) => {
      const { schedules } = await connectFor(line).listSchedules({ limit: RECENT }, { signal });
      return valuesOf(
        schedules.map(({ id, tool, label, state }) => ({ value: id, description: `${label ?? tool} ${state}` })),
      );
    },
    schema: async () => valuesOf([...(await installedSchemas()).keys()].map((value) => ({ value }))),
    file: async () => ({ kind: 'files', prefix: '' }),
    directory: async () => ({ kind: 'directories', prefix: '' }),
  };
  return async (name, line) => (Object.hasOwn(sources, name) ? await sources[name]?.(line) : undefined) ?? NOTHING;
};

/** `--arg`: the names of arguments that are not given yet, and after the name the values that its schema lists. */
const argumentValues = (tool: ToolDescription, { current, options }: LineSoFar): Completion => {
  const written = (options.get('arg') ?? []).map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, equals)), pair.slice(equals + 1)];
  });
  const named = options.get('command')?.at(-1);
  const schema = schemaOfFields(tool, named === undefined ? written : [...written, [tool.commandField, named]]);
  const properties = schemaProperties(schema);
  const equals = current.indexOf('=');
  if (equals === -1) {
    const given = new Set([...written.map(([name]) => name), ...(named === undefined ? [] : [tool.commandField])]);
    return valuesOf(
      Object.entries(properties)
        .filter(([name]) => !given.has(name))
        .map(([name, property]) => ({ value: `${name}=`, description: describeType(property) })),
    );
  }
  const name = current.slice(0, equals);
  const value = current.slice(equals + 1);
  if (value.startsWith('@')) return { kind: 'files', prefix: `${name}=@` };
  const allowed = name === tool.commandField ? commandNames(tool) : listedValues(properties[name]);
  return valuesOf(allowed.map((one): Candidate => ({ value: `${name}=${textOf(one)}` })));
};

const commandNames = (tool: ToolDescription): string[] =>
  tool.commands.map(({ commandIdentifier }) => commandIdentifier);

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const resourceCandidates = (resources: JsonValue | undefined): Candidate[] =>
  Array.isArray(resources)
    ? resources.flatMap((resource) => {
        const { id, fileName } = resource as { id?: unknown; fileName?: unknown };
        if (typeof id !== 'string') return [];
        return [{ value: id, description: typeof fileName === 'string' ? fileName : '' }];
      })
    : [];
