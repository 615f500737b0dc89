import { compileJsonSchema, type SchemaValidator } from '../lib/json-schema.ts';
import { InvocationCommand, type PluginType } from '../protocol/manifest.ts';
import type { CommandDefinition } from './plugin-definition.ts';

/** What a plugin that nobody calls by name is told to do, where its manifest names no command for it. */
const IMPLIED: Partial<Record<PluginType, { readonly commandIdentifier: string; readonly description: string }>> = {
  static: { commandIdentifier: 'Refresh', description: 'Says what its placeholders stand for now.' },
  messagePreprocessor: {
    commandIdentifier: 'ProcessMessages',
    description: 'Gives the messages of a chat request as they are to go on.',
  },
};

/** The command of a plugin type that has one without declaring it, or null. */
export const impliedCommand = (type: PluginType): CommandDefinition | null => {
  const implied = IMPLIED[type];
  if (implied === undefined) return null;
  const command = InvocationCommand.parse({ ...implied, inputSchema: true, outputSchema: true });
  const anything = validatorOfAnything();
  return { command, input: anything, output: anything, takesResources: false, declaredErrorCodes: null };
};

const validatorOfAnything = (): SchemaValidator => {
  const compiled = compileJsonSchema(true);
  if (!compiled.ok) throw new Error('the schema that takes anything must compile');
  return compiled.validator;
};
