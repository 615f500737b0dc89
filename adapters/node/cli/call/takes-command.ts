import { normaliseKey } from '../../../../src/instruction/normalise-key.ts';
import { propertyNames, type KnownTool } from '../../../../src/instruction/select-command.ts';

/** Whether the command is named by an argument: a tool with a single command may have none for it. */
export const takesCommand = (tool: KnownTool, command: string): boolean => {
  const described = tool.commands.find(({ commandIdentifier }) => commandIdentifier === command);
  if (described === undefined) return true;
  return tool.commands.length > 1 || propertyNames(described.inputSchema).has(normaliseKey(tool.commandField));
};
