import process from 'node:process';
import type { VcpClient } from '../../../../src/client/vcp-client.ts';
import type { ResultView } from '../../../../src/protocol/invocation.ts';
import { EXIT } from '../exit.ts';
import type { EventLines } from './event-lines.ts';
import { exitCodeOfResult } from './exit-code-of-result.ts';
import type { FollowedTask } from './follow-task.ts';
import { printResult, projectedResult } from './print-result.ts';
import { saveResources } from './save-resources.ts';

export type ShowOptions = { readonly view?: ResultView | undefined; readonly save?: string | undefined };

/** Prints the result that a task ended with, and says by the exit code how that was. */
export const showEnd = async (
  client: VcpClient,
  { result, wasInterrupted }: FollowedTask,
  lines: EventLines | null,
  { view, save }: ShowOptions,
): Promise<void> => {
  process.exitCode = wasInterrupted && result.status === 'cancelled' ? EXIT.interrupted : exitCodeOfResult(result);
  if (lines === null) await printResult(client, result, view);
  else lines('result', await projectedResult(client, result, view));
  if (save !== undefined) await saveResources(client, result.resources, save);
};
