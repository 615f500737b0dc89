import { excerpt } from '../../lib/excerpt.ts';
import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import type { ChatMessage } from '../../ports/language-model.ts';
import type { ToolReport } from './tool-report.ts';

/** What the model is told after its calls: their reports in the order of its blocks, pictures beside them. */
export const feedbackMessage = (reports: readonly ToolReport[], notes: readonly string[]): ChatMessage => {
  const text = [...reports.map(reportText), ...notes].join('\n\n');
  const media = reports.flatMap((report) => report.media);
  return { role: 'user', content: media.length === 0 ? text : [{ type: 'text', text }, ...media] };
};

/** The same frame for every report, so that a model tells results from what people say. */
export const reportText = ({ title, text }: ToolReport): string =>
  `[TOOL_RESULT ${plain(title)}]\n${text.replaceAll(FRAME, '‹$1›')}\n[END_TOOL_RESULT]`;

/** A result that closes its own frame would speak as whoever speaks next. */
const FRAME = /\[((?:END_)?TOOL_RESULT\b[^\]\n]{0,200})\]/g;

/** A title may be what a model has made up. */
const plain = (title: string): string =>
  excerpt(neutraliseMarkers(title).replaceAll(/[\s\p{C}`[\]]+/gu, ' '), LONGEST_TITLE);

const LONGEST_TITLE = 64;
