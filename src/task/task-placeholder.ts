/** What stands in a conversation for the result of a task that has not ended (§10.5). It names the task alone. */
export const taskPlaceholder = (toolName: string, taskId: string): string => `${OPENING}${toolName}::${taskId}}}`;

const OPENING = '{{VCP_ASYNC_RESULT::';

/** The placeholders in a text, as they stand there. */
export const findTaskPlaceholders = (text: string): readonly FoundPlaceholder[] =>
  [...text.matchAll(/\{\{VCP_ASYNC_RESULT::([\p{L}\p{N}_.-]{1,64})::(task_[0-9A-Z]{26})\}\}/gu)].map(
    ({ 0: placeholder, 1: toolName = '', 2: taskId = '' }) => ({ placeholder, toolName, taskId }),
  );

export type FoundPlaceholder = { readonly placeholder: string; readonly toolName: string; readonly taskId: string };

/** A text in which nothing is a placeholder any more; it stays legible. */
export const neutralisePlaceholders = (text: string): string => text.replaceAll(OPENING, '{ {VCP_ASYNC_RESULT::');
