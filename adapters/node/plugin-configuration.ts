import { readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
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
 * The author of a WebAssembly plugin is not trusted, and writes the schema: what it names is a request that only a
 * `config.env` in its folder grants, and the environment is not looked at. What is `given` by whoever runs the server
 * from code goes before all of them.
 */
export const readPluginConfiguration = (
  { manifest, directory }: PluginLocation,
  environment: NodeJS.ProcessEnv,
  given: Readonly<Record<string, string>> = {},
): PluginConfiguration => {
  const schema = manifest.configSchema;
  if (schema === undefined || typeof schema === 'boolean') return { ok: true, values: {} };
  const properties = schemaProperties(schema);
  const isSandboxed = manifest.entryPoint.type === 'wasm';
  const ours = Object.keys(properties).find((name) => /^VCP_/i.test(name));
  if (ours !== undefined)
    return { ok: false, reason: `its configSchema names ${ours}; VCP_ variables are the server's own` };
  let file: Readonly<Record<string, string | undefined>>;
  try {
    file = directory === null ? {} : readEnvFile(directory, isSandboxed);
  } catch (error) {
    return { ok: false, reason: `its config.env cannot be read: ${(error as Error).message}` };
  }
  const values: Record<string, string> = {};
  const typed: Record<string, JsonValue> = {};
  for (const [name, property] of Object.entries(properties)) {
    const text = given[name] ?? file[name] ?? (isSandboxed ? undefined : environment[name]);
    const value = text === undefined ? (property as JsonObject)?.['default'] : typedValue(text, property as JsonObject);
    if (value === undefined) continue;
    typed[name] = value as JsonValue;
    values[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  const issues = issuesOfValues(schema, typed);
  const places = `config.env in the plugin's folder${isSandboxed ? '' : ", or in the server's environment"}`;
  return issues.length === 0
    ? { ok: true, values }
    : {
        ok: false,
        reason: `its configuration is not valid: ${describeIssues(issues)}; set it in ${places}`,
      };
};

/** It may be missing. Raises what keeps one that is there from being read. */
const readEnvFile = (directory: string, isSandboxed: boolean): Readonly<Record<string, string | undefined>> => {
  let text: string;
  try {
    const path = realpathSync(join(directory, 'config.env'));
    // A folder may come with a link to the secrets of others, such as the server's own config.env.
    if (isSandboxed && !path.startsWith(realpathSync(directory) + sep)) {
      throw new Error(`it is a link to a file outside of the plugin's folder; put a file in its place`);
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  return parseEnv(text);
};

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
