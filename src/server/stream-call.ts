import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { streamSSE } from 'hono/streaming';
import { describeFault } from '../lib/describe-fault.ts';
import type { Limits } from '../lib/limits.ts';
import type { Logger } from '../ports/logger.ts';
import type { ApprovalSummary } from '../protocol/approval.ts';
import type { Problem } from '../protocol/problem.ts';
import type { ProgressEvent } from '../protocol/progress-event.ts';
import type { AppEnvironment } from './app-environment.ts';
import { INTERNAL_ERROR, problem, problemBody, type ProblemFacts } from './problem.ts';

/** What a call came to: the JSON text of its answer, or why there is none. */
export type CallAnswer =
  | {
      readonly ok: true;
      readonly text: string;
      readonly isReplay: boolean;
      /** Whether the answer is one that `Prefer: respond-async` asked for. */
      readonly isAsync: boolean;
    }
  | { readonly ok: false; readonly problem: ProblemFacts };

/** Who hears of a call while it goes on; null where nobody does. */
export type CallListeners = {
  readonly onProgress: ((event: ProgressEvent) => void) | null;
  readonly onApproval: ((approval: ApprovalSummary) => void) | null;
};

/** A call that can tell of its progress, and before that when it is certain that it takes a while. */
export type StreamedCall = (
  signal: AbortSignal | null,
  told: CallListeners,
  onUnderway: () => void,
) => Promise<CallAnswer>;

/** Whether the client would rather hear of progress than have one JSON body. */
export const wantsEventStream = (c: Context<AppEnvironment>): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/event-stream'],
    default: 'application/json',
  }) === 'text/event-stream';

/**
 * Answers with a stream of `vcp_info` events and, at its end, exactly one `result` or `problem` event; a result that is
 * a replay has an event `replayed` before it, and a call that waits for a person's approval an event `approval`. What is refused before the call is under way is an ordinary problem. A
 * client that reads slowly gets the newest progress, not all of it: no more than one event waits for it. A client that
 * leaves cancels the call.
 */
export const streamCall = async (
  c: Context<AppEnvironment>,
  clientGone: AbortSignal | null,
  call: StreamedCall,
  {
    limits,
    logger,
    show,
  }: {
    readonly limits: Limits;
    readonly logger: Logger;
    /** The progress as this client may read it. */
    readonly show: (event: ProgressEvent) => ProgressEvent;
  },
): Promise<Response> => {
  const gone = new AbortController();
  const signal = clientGone === null ? gone.signal : AbortSignal.any([gone.signal, clientGone]);
  const underway = Promise.withResolvers<null>();
  const progress = createNewestProgress();
  let waitsFor: ApprovalSummary | null = null;
  let tellApproval = (approval: ApprovalSummary) => void (waitsFor = approval);
  const told = { onProgress: progress.tell, onApproval: (approval: ApprovalSummary) => tellApproval(approval) };
  const answering = call(signal, told, () => underway.resolve(null));
  const early = await Promise.race([underway.promise, answering]);
  if (early?.ok === false) return problem(c, early.problem);
  if (early?.isReplay === true) c.header('idempotency-replayed', 'true');
  // Proxies that gather an answer before they pass it on would gather the progress too.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => gone.abort());
    progress.writeTo((event) => stream.writeSSE({ event: event.type, data: JSON.stringify(show(event)) }));
    const writeApproval = (approval: ApprovalSummary) =>
      void stream.writeSSE({ event: 'approval', data: JSON.stringify(approval) });
    tellApproval = writeApproval;
    if (waitsFor !== null) writeApproval(waitsFor);
    let keepingAlive: Promise<unknown> | null = null;
    const keepAlive = setInterval(() => {
      keepingAlive ??= stream.write(': keep-alive\n\n').finally(() => (keepingAlive = null));
    }, limits.streamKeepAliveMs);
    try {
      const answer = await answering;
      await progress.written();
      if (!answer.ok) {
        await stream.writeSSE({ event: 'problem', data: JSON.stringify(streamedProblem(c, answer.problem)) });
        return;
      }
      if (answer.isReplay) await stream.writeSSE({ event: 'replayed', data: '{"replayed":true}' });
      await stream.writeSSE({ event: 'result', data: answer.text });
    } catch (error) {
      logger.error('http.fault', { requestId: c.get('requestId'), path: c.req.path, fault: describeFault(error) });
      await stream.writeSSE({ event: 'problem', data: JSON.stringify(problemBody(c, INTERNAL_ERROR)) });
    } finally {
      clearInterval(keepAlive);
    }
  });
};

/** A stream has sent its headers: what `Retry-After` would say, in seconds, stands in the problem. */
const streamedProblem = (c: Context<AppEnvironment>, facts: ProblemFacts): Problem => {
  const retryAfter = facts.headers?.['retry-after'];
  return { ...problemBody(c, facts), ...(retryAfter === undefined ? {} : { retryAfter: Number(retryAfter) }) };
};

/** Keeps the newest event for a writer that may come later and may be slow. */
const createNewestProgress = () => {
  let newest: ProgressEvent | null = null;
  let write: ((event: ProgressEvent) => Promise<void>) | null = null;
  let writing: Promise<void> | null = null;
  const writeNewest = async (): Promise<void> => {
    while (write !== null && newest !== null) {
      const event: ProgressEvent = newest;
      newest = null;
      await write(event);
    }
    writing = null;
  };
  const go = () => {
    if (write !== null && newest !== null) writing ??= writeNewest();
  };
  return {
    tell: (event: ProgressEvent): void => {
      newest = event;
      go();
    },
    writeTo: (writer: (event: ProgressEvent) => Promise<void>): void => {
      write = writer;
      go();
    },
    written: async (): Promise<void> => {
      await writing;
    },
  };
};
