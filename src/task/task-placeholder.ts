/** What stands in a conversation for the result of a task that has not ended (§10.5). It names the task alone. */
export const taskPlaceholder = (toolName: string, taskId: string): string =>
  `{{VCP_ASYNC_RESULT::${toolName}::${taskId}}}`;
