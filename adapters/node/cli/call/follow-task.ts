import process from 'node:process';
import { VcpProblem, type VcpClient } from '../../../../src/client/vcp-client.ts';
import type { CanonicalToolResult } from '../../../../src/protocol/canonical-tool-result.ts';
import type { TaskDescription } from '../../../../src/protocol/task-listing.ts';
import { EXIT, explain, Interrupted } from '../exit.ts';
import { mayDrawBeside, type EventLines } from './event-lines.ts';
import { progressLineFor } from './progress-line.ts';

export type FollowOptions = {
  readonly taskId: string;
  /** What the progress line calls it. */
  readonly title: string;
  readonly lines: EventLines | null;
  /** A line on stderr for each report of progress. */
  readonly isLog: boolean;
  /** Whether Ctrl-C cancels the task, or only ends the watching. */
  readonly cancelsTask: boolean;
};

export type FollowedTask = { readonly result: CanonicalToolResult; readonly wasInterrupted: boolean };

/** Follows a task to the result that ends it. After a first Ctrl-C a second one does not wait for the end of the task. */
export const followTask = async (
  client: VcpClient,
  { taskId, title, lines, isLog, cancelsTask }: FollowOptions,
): Promise<FollowedTask> => {
  const stop = new AbortController();
  const line = isLog || mayDrawBeside(lines) ? progressLineFor(title, isLog) : null;
  let wasInterrupted = false;
  const cancel = async () => {
    line?.say(`vcp: cancelling ${taskId}; Ctrl-C once more leaves it\n`);
    try {
      await client.cancelTask(taskId, { reason: 'interrupted at the command line', signal: stop.signal });
    } catch (error) {
      // One that has just ended has its result, which comes.
      if (!(error instanceof VcpProblem) || error.problem.code !== 'TASK_ENDED') stop.abort(error);
    }
  };
  const onSignal = () => {
    if (wasInterrupted) process.exit(EXIT.interrupted);
    wasInterrupted = true;
    if (cancelsTask) void cancel();
    else stop.abort(null);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    const onChange = (task: TaskDescription) => {
      lines?.('task', task);
      line?.update(shownOf(task));
    };
    return { result: await client.waitForTask(taskId, { onChange, signal: stop.signal }), wasInterrupted };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const fault: unknown = stop.signal.reason;
    throw new Interrupted(
      fault === null
        ? `the task goes on; vcp tasks watch ${taskId} waits for it, vcp tasks cancel ${taskId} ends it`
        : `interrupted, but the task could not be cancelled: ${explain(fault)}; vcp tasks cancel ${taskId} tries again`,
    );
  } finally {
    line?.stop();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
};

/** Before the plugin has said anything, the state tells most. */
const shownOf = ({ state, stage, progress, message }: TaskDescription) => ({
  stage: stage ?? state,
  progress,
  message,
});
