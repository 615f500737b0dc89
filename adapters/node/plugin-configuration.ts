import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { compileJsonSchema } from '../../src/lib/json-schema.ts';
import { schemaProperties } from '../../src/lib/schema-properties.ts';
import { describeIssues, type Issue } from '../../src/lib/issue.ts';
import type { PluginLocation } from '../../src/ports/transport.ts';
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';

export type PluginConfiguration =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly reason: string };

/**
 * The values of a plugin's declared configuration: its own `config.env`, then the server's environment, then the
 * schema's default. Only what `configSchema` names is read, so nothing else of the environment reaches the plugin.
 */
export const readPluginConfiguration = (
  { manifest, directory }: PluginLocation,
  environment: NodeJS.ProcessEnv,
): PluginConfiguration => {
  const schema = manifest.configSchema;
  if (schema === undefined || typeof schema === 'boolean') return { ok: true, values: {} };
  const properties = schemaProperties(schema);
  const ours = Object.keys(properties).find((name) => /^VCP_/i.test(name));
  if (ours !== undefined)
    return { ok: false, reason: `its configSchema names ${ours}; VCP_ variables are the server's own` };
  const file = directory === null ? {} : readEnvFile(join(directory, 'config.env'));
  const values: Record<string, string> = {};
  const typed: Record<string, JsonValue> = {};
  for (const [name, property] of Object.entries(properties)) {
    const text = file[name] ?? environment[name];
    const value = text === undefined ? (property as JsonObject)?.['default'] : typedValue(text, property as JsonObject);
    if (value === undefined) continue;
    typed[name] = value as JsonValue;
    values[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  const issues = issuesOfValues(schema, typed);
  return issues.length === 0
    ? { ok: true, values }
    : {
        ok: false,
        reason: `its configuration is not valid: ${describeIssues(issues)}; set it in config.env in the plugin's folder, or in the server's environment`,
      };
};

const readEnvFile = (path: string): Record<string, string | undefined> =>
  existsSync(path) ? (parseEnv(readFileSync(path, 'utf8')) as Record<string, string>) : {};

const typedValue = (text: string, property: JsonObject | undefined): JsonValue => {
  const type = property?.['type'];
  if (type === 'integer' || type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
};

const issuesOfValues = (schema: JsonObject, values: JsonObject): readonly Issue[] => {
  const compiled = compileJsonSchema(schema);
  return compiled.ok ? compiled.validator.validate(values) : compiled.issues;
};
