import type { ToolError } from '../../../protocol/error.ts';
import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { inlineCode, paragraph, text, type BlockContent, type PhrasingContent } from '../markdown.ts';
import { isPlainObject } from './entries.ts';
import { cutNote, renderValue, type CutsByPointer } from './render-value.ts';
import type { Renderer } from './renderer.ts';

/** A failure: its code and sentence, what kind it is, whether trying again may help, and its details. */
export const errorView: Renderer = {
  name: 'error',
  part: 'error',
  matches: ({ error }) => error !== null,
  render: ({ result: { error }, cuts }) => (error === null ? null : errorBlocks(error, cuts)),
};

const errorBlocks = (error: ToolError, cuts: CutsByPointer): BlockContent[] => {
  const more = [
    `category: ${error.category}`,
    error.target === null ? null : `at: ${error.target}`,
    error.retryable ? 'the same call may work later' : null,
  ].filter((fact) => fact !== null);
  const { cause } = error;
  const causedBy: PhrasingContent[] =
    cause === null ? [] : [text(`caused by: ${cause.code === null ? '' : `${cause.code}: `}${cause.message}`)];
  return [
    paragraph(inlineCode(error.code), text(`: ${error.message}`)),
    ...notesAt(['error', 'message'], cuts),
    paragraph(text(more.join('; '))),
    ...notesAt(['error', 'target'], cuts),
    ...(cause === null ? [] : [paragraph(...causedBy), ...notesAt(['error', 'cause', 'message'], cuts)]),
    ...(error.details === null ? [] : renderDetails(error.details as JsonValue, cuts)),
  ];
};

const notesAt = (path: readonly PropertyKey[], cuts: CutsByPointer): BlockContent[] => {
  const note = cutNote(path, cuts);
  return note === null ? [] : [note];
};

/** The message of a schema fault lists the first issues itself; they are not said twice. */
const renderDetails = (details: JsonValue, cuts: CutsByPointer): BlockContent[] => {
  const path = ['error', 'details'];
  if (!isPlainObject(details)) return renderValue(details, path, cuts);
  const { pointer: _pointer, issues, issueCount, ...rest } = details as JsonObject;
  const isListed = Array.isArray(issues) && issues.length <= ISSUES_IN_MESSAGE && issueCount === issues.length;
  if (!isListed) return renderValue(details, path, cuts);
  return Object.keys(rest).length === 0 ? [] : renderValue(rest as JsonObject, path, cuts);
};

/** Issues that `describeIssues` puts into a message. */
const ISSUES_IN_MESSAGE = 3;
