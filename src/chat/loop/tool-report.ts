import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** A part of a message in the words of OpenAI's Chat Completions. */
export type MessagePart = JsonObject;

/** What a model is told of one block: the result of its call, or why it was not run. */
export type ToolReport = {
  /** What it is about, such as a tool's name or `block 2`. */
  readonly title: string;
  /** What the model reads, markers made inert. */
  readonly text: string;
  /** Pictures and sounds of the result, ready for the model; text parts say why one is missing. */
  readonly media: readonly MessagePart[];
  readonly isError: boolean;
  /** The same for the same call with the same outcome; null for what may well be asked again, such as a running task. */
  readonly sameness: string | null;
  /** Whether the report stays in what the client sees. */
  readonly isVisible: boolean;
};

/** A call that was not made, and why. */
export const refusedReport = (about: Pick<ToolReport, 'title' | 'isVisible'>, reason: string): ToolReport => ({
  ...about,
  text: neutraliseMarkers(`Not run: ${reason}${/[.?!]$/.test(reason) ? '' : '.'}`),
  media: [],
  isError: true,
  sameness: `${about.title} ${reason}`,
});
