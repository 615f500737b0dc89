import type { Failure } from '../lib/failure.ts';
import { schemaProperties } from '../lib/schema-properties.ts';
import { suggestName } from '../lib/suggest.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { CommandDefinition, PluginDefinition } from '../registry/plugin-definition.ts';

export type ResolvedCommand =
  | { readonly ok: true; readonly command: CommandDefinition }
  | { readonly ok: false; readonly failure: Failure };

/**
 * The command that the arguments select. A tool with one command whose schema has no discriminator needs none;
 * otherwise the argument that the manifest calls `commandField` names it.
 */
export const resolveCommand = (plugin: PluginDefinition, args: JsonObject): ResolvedCommand => {
  const field = plugin.manifest.commandField;
  const given = Object.hasOwn(args, field) ? args[field] : undefined;
  const names = [...plugin.commands.keys()];
  const [only] = plugin.commands.values();

  if (plugin.commands.size === 1 && only !== undefined && (given === undefined || !discriminates(only, field))) {
    return { ok: true, command: only };
  }
  if (given === undefined) {
    return fail({
      code: 'MISSING_ARGUMENT',
      message: `argument "${field}" is required: one of ${names.join(', ')}`,
      target: field,
      details: { pointer: `/${field}`, allowed: names },
    });
  }
  const command = typeof given === 'string' ? plugin.commands.get(given) : undefined;
  if (command !== undefined) return { ok: true, command };
  const shown = JSON.stringify(given).slice(0, 100);
  const near = typeof given === 'string' ? suggestName(given, names) : null;
  return fail({
    code: 'UNKNOWN_COMMAND',
    message: `${plugin.manifest.name} has no command ${shown}; ${near === null ? `it has ${names.join(', ')}` : `did you mean "${near}"?`}`,
    target: field,
    details: { pointer: `/${field}`, allowed: names, ...(near === null ? {} : { suggestion: near }) },
  });
};

/** Whether the command's own schema speaks of the discriminator; where it does not, the argument is the plugin's. */
const discriminates = (definition: CommandDefinition, field: string): boolean => {
  const declared = schemaProperties(definition.command.inputSchema)[field];
  return typeof declared === 'object' && declared !== null && Object.hasOwn(declared, 'const');
};

const fail = (failure: Failure): ResolvedCommand => ({ ok: false, failure });
