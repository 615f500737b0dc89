import { stopReasonOf } from '../../../src/lib/deadline.ts';
import { redactText } from '../../../src/policy/sensitive-text.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import {
  CallStopped,
  TransportError,
  type BackgroundWork,
  type TransportCall,
  type TransportLimits,
  type TransportReply,
} from '../../../src/ports/transport.ts';
import type { StdoutFrame } from '../../../src/protocol/stdio-frame.ts';
import { createFrameReader } from '../../../src/transport/stdio/frame-reader.ts';
import { describeExit, judgeOutcome } from '../../../src/transport/stdio/judge-outcome.ts';
import type { Child, ChildExit, ChildSpec, StartChild } from './child-process.ts';

/** Milliseconds that a process may stay after its terminal frame before it is ended. */
const LINGER_MS = 2_000;

/** A process for one call (§11). It may be started before the call is there: it waits at its stdin. */
export type OneshotProcess = {
  readonly child: Child;
  /** Hands over the call, `input` being its frame, and gives what came of it. Once only. */
  run(call: TransportCall, input: string): Promise<TransportReply>;
};

export const startOneshotProcess = (
  start: StartChild,
  spec: ChildSpec,
  limits: TransportLimits,
  logger: Logger,
): OneshotProcess => {
  const reader = createFrameReader(limits);
  const terminalPayloads: unknown[] = [];
  const accepted = Promise.withResolvers<TransportReply>();
  let call: TransportCall | null = null;
  let early: StdoutFrame[] = [];
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let lingered = false;
  /** What the process goes on with, once it has accepted a task. */
  let background: ReturnType<typeof createBackground> | null = null;

  /** A process may answer before it is asked. What it tells of its progress until then concerns nobody. */
  const takeEarly = (frame: StdoutFrame) => {
    if (frame.vcp === 'progress') return;
    if (early.length < 2) early.push(frame);
    else void child.stop();
  };

  const takeTerminal = (given: TransportCall, payload: unknown) => {
    if (background !== null) background.noticed('a second terminal frame');
    else if (terminalPayloads.length < 2 && terminalPayloads.push(payload) === 1) {
      if (given.task !== null && isAcceptance(payload)) {
        background = createBackground(given, child, logger);
        accepted.resolve({ payload, warnings: [], background: background.work });
        return;
      }
      lingering = setTimeout(() => {
        lingered = true;
        void child.stop();
      }, LINGER_MS);
    }
  };

  const onFrames = (frames: readonly StdoutFrame[]) => {
    for (const frame of frames) {
      if (call === null) takeEarly(frame);
      else if (frame.vcp === 'progress') call.reportProgress(frame.payload);
      else takeTerminal(call, frame.payload);
    }
    if (background !== null) {
      if (reader.fault !== null) background.noticed(reader.fault.kind);
      return;
    }
    // §11.1: oversize is judged at once; other faults wait for the exit code, which may tell a worse story.
    if (reader.fault?.kind === 'too-large' || terminalPayloads.length > 1) void child.stop();
  };

  const child = start(spec, limits, (chunk) => onFrames(reader.push(chunk)));

  const judged = async (signal: AbortSignal): Promise<TransportReply> => {
    const exit = await child.closed;
    onFrames(reader.end());
    const stderrTail = child.stderrTail();
    if (background !== null) {
      background.exited(exit, stderrTail);
      return await accepted.promise;
    }
    if (signal.aborted) throw new CallStopped(stopReasonOf(signal), stderrTail === '' ? null : { stderr: stderrTail });
    return judgeOutcome({ terminalPayloads, fault: reader.fault, exit: { ...exit, lingered }, stderrTail });
  };

  const run = async (given: TransportCall, input: string): Promise<TransportReply> => {
    call = given;
    const { signal } = given;
    const onAbort = () => void child.stop();
    signal.addEventListener('abort', onAbort, { once: true });
    // It may have been stopped while its process was being started.
    if (signal.aborted) onAbort();
    try {
      child.write(input);
      child.endInput();
      onFrames(early);
      early = [];
      return await Promise.race([accepted.promise, judged(signal)]);
    } finally {
      clearTimeout(lingering);
      signal.removeEventListener('abort', onAbort);
    }
  };

  return { child, run };
};

const isAcceptance = (payload: unknown): boolean =>
  (payload as { readonly status?: unknown } | null)?.status === 'accepted';

/** Lines of stderr that the end of a task quotes. */
const QUOTED_LINES = 20;

/** A process that works on for its task after its `accepted`: how it ends decides whether the task waits for a callback. */
const createBackground = (call: TransportCall, child: Child, logger: Logger) => {
  const ended = Promise.withResolvers<TransportError | null>();
  let isStopping = false;
  let letGo: ReturnType<typeof setTimeout> | undefined;
  const noticed = new Set<string>();
  const stop = () => {
    isStopping = true;
    void child.stop();
  };
  const work: BackgroundWork = {
    ended: ended.promise,
    stop,
    release: () => {
      isStopping = true;
      letGo ??= setTimeout(stop, LINGER_MS);
    },
  };
  return {
    work,
    /** What stdout carries beside progress is of no use any more, and said once. */
    noticed: (what: string) => {
      if (noticed.has(what)) return;
      noticed.add(what);
      const { invocationId, requestId, task, plugin } = call;
      const ids = { invocationId, requestId, taskId: task?.id, toolName: plugin.manifest.name };
      logger.warn('stdio.task-output', { ...ids, reason: what });
    },
    exited: ({ code, signal }: ChildExit, stderrTail: string) => {
      clearTimeout(letGo);
      if (code === 0 || isStopping) {
        ended.resolve(null);
        return;
      }
      const lines = stderrTail.trimEnd().split('\n').slice(-QUOTED_LINES).join('\n');
      const stderr = redactText(lines)?.text ?? lines;
      const how = describeExit({ code, signal, lingered: false });
      ended.resolve(
        new TransportError('TRANSPORT_FAILURE', `the process ended with ${how} before its task had a result`, {
          exitCode: code,
          signal,
          ...(stderr === '' ? {} : { stderr }),
        }),
      );
    },
  };
};
