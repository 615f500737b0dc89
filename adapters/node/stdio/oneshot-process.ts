import { stopReasonOf } from '../../../src/lib/deadline.ts';
import {
  CallStopped,
  type TransportCall,
  type TransportLimits,
  type TransportReply,
} from '../../../src/ports/transport.ts';
import type { StdoutFrame } from '../../../src/protocol/stdio-frame.ts';
import { createFrameReader } from '../../../src/transport/stdio/frame-reader.ts';
import { judgeOutcome } from '../../../src/transport/stdio/judge-outcome.ts';
import type { Child, ChildSpec, StartChild } from './child-process.ts';

/** Milliseconds that a process may stay after its terminal frame before it is ended. */
const LINGER_MS = 2_000;

/** A process for one call (§11). It may be started before the call is there: it waits at its stdin. */
export type OneshotProcess = {
  readonly child: Child;
  /** Hands over the call, `input` being its frame, and gives what came of it. Once only. */
  run(call: TransportCall, input: string): Promise<TransportReply>;
};

export const startOneshotProcess = (start: StartChild, spec: ChildSpec, limits: TransportLimits): OneshotProcess => {
  const reader = createFrameReader(limits);
  const terminalPayloads: unknown[] = [];
  let call: TransportCall | null = null;
  let early: StdoutFrame[] = [];
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let lingered = false;

  /** A process may answer before it is asked. What it tells of its progress until then concerns nobody. */
  const takeEarly = (frame: StdoutFrame) => {
    if (frame.vcp === 'progress') return;
    if (early.length < 2) early.push(frame);
    else void child.stop();
  };

  const onFrames = (frames: readonly StdoutFrame[]) => {
    for (const frame of frames) {
      if (call === null) takeEarly(frame);
      else if (frame.vcp === 'progress') call.reportProgress(frame.payload);
      else if (terminalPayloads.length < 2 && terminalPayloads.push(frame.payload) === 1) {
        lingering = setTimeout(() => {
          lingered = true;
          void child.stop();
        }, LINGER_MS);
      }
    }
    // §11.1: oversize is judged at once; other faults wait for the exit code, which may tell a worse story.
    if (reader.fault?.kind === 'too-large' || terminalPayloads.length > 1) void child.stop();
  };

  const child = start(spec, limits, (chunk) => onFrames(reader.push(chunk)));

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
      const exit = await child.closed;
      onFrames(reader.end());
      const stderrTail = child.stderrTail();
      if (signal.aborted)
        throw new CallStopped(stopReasonOf(signal), stderrTail === '' ? null : { stderr: stderrTail });
      return judgeOutcome({ terminalPayloads, fault: reader.fault, exit: { ...exit, lingered }, stderrTail });
    } finally {
      clearTimeout(lingering);
      signal.removeEventListener('abort', onAbort);
    }
  };

  return { child, run };
};
