import { excerpt } from '../lib/excerpt.ts';
import { neutraliseMarkers } from '../lib/neutralise-markers.ts';
import { toolNameOf } from './tool-name-of.ts';
import type { BlockContent } from './parser-event.ts';

const LONGEST_NAME = 64;

/** The line that stands for a block in what a reader sees: the tool, or why it was not called. */
export const summaryOfBlock = (content: BlockContent): string => {
  if (!content.ok) return `[tool call not run: ${content.diagnostics.map(({ code }) => code).join(', ')}]`;
  const name = toolNameOf(content.fields);
  return name === null ? '[tool call not run: NO_TOOL_NAME]' : `[tool call: ${plain(name)}]`;
};

const plain = (name: string): string =>
  excerpt(neutraliseMarkers(name).replaceAll(/[\s\p{C}`[\]]+/gu, ' '), LONGEST_NAME);
