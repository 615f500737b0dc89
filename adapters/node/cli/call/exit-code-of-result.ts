import type { CanonicalToolResult } from '../../../../src/protocol/canonical-tool-result.ts';
import { EXIT } from '../exit.ts';
import { SUCCESSFUL } from './successful.ts';

/** A tool that nobody knows is wrong usage here too, where JSON arguments went out without a look at the tool. */
export const exitCodeOfResult = ({ status, error, tool }: CanonicalToolResult): number => {
  if (SUCCESSFUL.has(status)) return EXIT.success;
  return error?.code === 'TOOL_NOT_FOUND' && tool.version === null ? EXIT.usage : EXIT.toolError;
};
