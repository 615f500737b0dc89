import { BLOCK_END, BLOCK_START } from '../../instruction/markers.ts';
import type { ToolRequestWriter } from './describe-tool-for-model.ts';

/** A call as a model is shown it: one field a line, text as it is, everything else as JSON. */
export const writeExampleRequest: ToolRequestWriter = ({ toolName, arguments: args }) =>
  [
    BLOCK_START,
    fieldOf('tool_name', toolName),
    ...Object.entries(args).map(([key, value]) =>
      fieldOf(key, typeof value === 'string' ? value : JSON.stringify(value)),
    ),
    BLOCK_END,
  ].join('\n');

const fieldOf = (key: string, value: string): string =>
  /[「」]|<<</.test(value) ? `${key}:「始ESCAPE」${value}「末ESCAPE」` : `${key}:「始」${value}「末」`;
