import { hashText } from '../../lib/hash-json.ts';
import type { InvocationCommand } from '../../protocol/manifest.ts';
import type { PluginDefinition } from '../../registry/plugin-definition.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** A command under the name that a model calls it by. */
export type NamedFunction = {
  readonly name: string;
  readonly toolName: string;
  readonly command: InvocationCommand;
  /** What has to stand among the arguments for the command to be meant. */
  readonly discriminator: JsonObject;
};

/** What vendors take for a function's name. */
const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * A function for each command, by names that no two share and that are none of `taken`: `Tool`, or `Tool__Command` where
 * it has several. One that vendors do not take is named by its beginning and a hash. The same tools have the same names.
 */
export const nameFunctions = async (
  tools: readonly PluginDefinition[],
  taken: ReadonlySet<string>,
): Promise<ReadonlyMap<string, NamedFunction>> => {
  const functions = new Map<string, NamedFunction>();
  for (const { manifest, commands } of tools) {
    for (const { command } of commands.values()) {
      const { commandIdentifier } = command;
      const isOnly = commands.size === 1;
      const plain = isOnly ? manifest.name : `${manifest.name}__${commandIdentifier}`;
      const isFree = (name: string) => FUNCTION_NAME.test(name) && !taken.has(name) && !functions.has(name);
      const name = isFree(plain) ? plain : await hashedName(manifest.name, commandIdentifier, isFree);
      const discriminator: JsonObject = isOnly ? {} : { [manifest.commandField]: commandIdentifier };
      functions.set(name, { name, toolName: manifest.name, command, discriminator });
    }
  }
  return functions;
};

const hashedName = async (tool: string, command: string, isFree: (name: string) => boolean): Promise<string> => {
  const beginning = `${tool}_${command}`.replaceAll(/[^A-Za-z0-9_-]+/g, '').slice(0, 40);
  for (let salt = 0; ; salt += 1) {
    const hash = await hashText(JSON.stringify([tool, command, salt]));
    const name = `vcp_${beginning}_${hash.slice(0, 12)}`;
    if (isFree(name)) return name;
  }
};

/** The functions in OpenAI's words, their schemas whole. */
export const functionTools = (functions: Iterable<NamedFunction>): readonly JsonObject[] =>
  [...functions].map(({ name, command }) => ({
    type: 'function',
    function: {
      name,
      description: command.description,
      parameters: typeof command.inputSchema === 'object' ? command.inputSchema : { type: 'object' },
    },
  }));
