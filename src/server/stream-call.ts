import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { streamSSE } from 'hono/streaming';
import { describeFault } from '../lib/describe-fault.ts';
import type { Limits } from '../lib/limits.ts';
import type { Logger } from '../ports/logger.ts';
import type { ProgressEvent } from '../protocol/progress-event.ts';
import type { AppEnvironment } from './app-environment.ts';
import { INTERNAL_ERROR, problemBody, type ProblemFacts } from './problem.ts';

/** What a call came to: the JSON text of its answer, or why there is none. */
export type CallAnswer =
  | { readonly ok: true; readonly text: string; readonly isReplay: boolean }
  | { readonly ok: false; readonly problem: ProblemFacts };

/** A call that can tell of its progress. */
export type StreamedCall = (
  signal: AbortSignal | null,
  onProgress: ((event: ProgressEvent) => void) | null,
) => Promise<CallAnswer>;

/** Whether the client would rather hear of progress than have one JSON body. */
export const wantsEventStream = (c: Context<AppEnvironment>): boolean =>
  accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/event-stream'],
    default: 'application/json',
  }) === 'text/event-stream';

/**
 * Answers with a stream of `vcp_info` events and, at its end, exactly one `result` or `problem` event. A client that
 * reads slowly gets the newest progress, not all of it: no more than one event waits for it. A client that leaves
 * cancels the call.
 */
export const streamCall = (
  c: Context<AppEnvironment>,
  clientGone: AbortSignal | null,
  call: StreamedCall,
  { limits, logger }: { readonly limits: Limits; readonly logger: Logger },
): Response => {
  // Proxies that gather an answer before they pass it on would gather the progress too.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const signal = clientGone === null ? gone.signal : AbortSignal.any([gone.signal, clientGone]);

    let newest: ProgressEvent | null = null;
    let isWriting = false;
    let written = Promise.resolve();
    const writeNewest = async (): Promise<void> => {
      isWriting = true;
      while (newest !== null) {
        const event: ProgressEvent = newest;
        newest = null;
        await stream.writeSSE({ event: event.type, data: JSON.stringify(event) });
      }
      isWriting = false;
    };
    const onProgress = (event: ProgressEvent): void => {
      newest = event;
      if (!isWriting) written = writeNewest();
    };

    let keepingAlive: Promise<unknown> | null = null;
    const keepAlive = setInterval(() => {
      keepingAlive ??= stream.write(': keep-alive\n\n').finally(() => (keepingAlive = null));
    }, limits.streamKeepAliveMs);
    try {
      const answer = await call(signal, onProgress);
      await written;
      if (answer.ok) await stream.writeSSE({ event: 'result', data: answer.text });
      else await stream.writeSSE({ event: 'problem', data: JSON.stringify(problemBody(c, answer.problem)) });
    } catch (error) {
      logger.error('http.fault', { requestId: c.get('requestId'), path: c.req.path, fault: describeFault(error) });
      await stream.writeSSE({ event: 'problem', data: JSON.stringify(problemBody(c, INTERNAL_ERROR)) });
    } finally {
      clearInterval(keepAlive);
    }
  });
};
