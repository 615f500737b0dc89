import { stopReasonOf } from '../../lib/deadline.ts';
import { CallStopped, TransportError, type TransportReply } from '../../ports/transport.ts';
import type { ProgressReport, StdoutFrame, ToolInvocationFrame } from '../../protocol/stdio-frame.ts';
import { PROTOCOL_VERSION } from '../../protocol/version.ts';

/** One call of a worker: its frame, what stops it, and where its progress goes. */
export type WorkerCall = {
  readonly frame: ToolInvocationFrame & { readonly invocationId: string };
  readonly signal: AbortSignal;
  reportProgress(report: ProgressReport): void;
};

/** Why every call of a worker ends: as the only one at work, or as one of several of which another may be at fault. */
export type WorkerEnd = (alone: boolean) => TransportError;

/**
 * The calls that one long-lived process answers at once, told apart by `invocationId`. It knows no process: lines go out
 * through `write`, frames come in through `push`.
 */
export type WorkerSession = {
  /** Calls that hold a place, also stopped ones that the plugin has not given up yet. */
  readonly inFlight: number;
  /** Calls that were told to stop and have not ended yet: until they do, it is open whether the plugin still listens. */
  readonly stopping: number;
  /** Calls that were sent. */
  readonly total: number;
  /** Settles with the call's reply, with `CallStopped` as soon as its signal aborts, or with the end of the session. */
  send(call: WorkerCall): Promise<TransportReply>;
  /** What is wrong with the frame, if anything; the session cannot go on then. */
  push(frame: StdoutFrame): string | null;
  /** Ends every call that has no answer. */
  end(failure: WorkerEnd): void;
};

export type WorkerSessionOptions = {
  /** Takes one line, without its line break. */
  write(line: string): void;
  /** A stopped call has not ended within the grace; whether the plugin has said anything since then. */
  onIgnoredCancel(isAlive: boolean): void;
  /** A call in flight has ended. */
  onEnded(): void;
  /** Milliseconds that a call may take to end after it was told to. */
  readonly cancelGraceMs: number;
};

type InFlight = {
  readonly call: WorkerCall;
  /** Whether another call was in flight at some time during this one. */
  shared: boolean;
  /** Whether it has accepted a task, and works on for it. */
  isAccepted: boolean;
  settle(outcome: TransportReply | TransportError): void;
  accept(payload: unknown): void;
};

const remember = (ids: Set<string>, id: string): void => {
  ids.add(id);
  if (ids.size > REMEMBERED_ANSWERS) ids.delete(ids.values().next().value as string);
};

const cancelFrame = (invocationId: string): string =>
  JSON.stringify({ vcp: 'cancel', version: PROTOCOL_VERSION, invocationId });

const lostTask = ({ details }: TransportError): TransportError =>
  new TransportError('TRANSPORT_FAILURE', 'the worker ended before the task had a result', details);

/** Answers of the last calls are remembered by id, so that a second answer is told from one to a call never made. */
const REMEMBERED_ANSWERS = 1_024;

export const createWorkerSession = (options: WorkerSessionOptions): WorkerSession => {
  const calls = new Map<string, InFlight>();
  const answered = new Set<string>();
  /** Calls whose task is over: a worker that answers them once more, as it does when it is told to stop, is not at fault. */
  const letGo = new Set<string>();
  let total = 0;
  let stopping = 0;
  let frames = 0;

  const forget = (id: string) => {
    calls.delete(id);
    remember(answered, id);
    options.onEnded();
  };

  const send = (call: WorkerCall): Promise<TransportReply> => {
    const id = call.frame.invocationId;
    const { signal } = call;
    if (signal.aborted) return Promise.reject(new CallStopped(stopReasonOf(signal)));
    return new Promise((resolve, reject) => {
      let grace: ReturnType<typeof setTimeout> | undefined;
      let released: (() => void) | undefined;
      let isTold = false;
      const onAbort = () => {
        const given = new Promise<void>((done) => {
          released = done;
        });
        reject(new CallStopped(stopReasonOf(signal), null, given));
        isTold = true;
        stopping += 1;
        const heard = frames;
        grace = setTimeout(() => options.onIgnoredCancel(frames > heard), options.cancelGraceMs);
        options.write(cancelFrame(id));
      };
      const inFlight: InFlight = {
        call,
        shared: calls.size > 0,
        isAccepted: false,
        accept: (payload) => {
          clearTimeout(grace);
          signal.removeEventListener('abort', onAbort);
          inFlight.isAccepted = true;
          const ended = Promise.withResolvers<TransportError | null>();
          const end = (failure: TransportError | null) => {
            if (calls.get(id) !== inFlight) return;
            forget(id);
            remember(letGo, id);
            ended.resolve(failure);
          };
          inFlight.settle = (outcome) => end(outcome instanceof TransportError ? lostTask(outcome) : null);
          const stop = () => {
            if (calls.get(id) === inFlight) options.write(cancelFrame(id));
            end(null);
          };
          resolve({ payload, warnings: [], background: { ended: ended.promise, stop, release: () => end(null) } });
        },
        settle: (outcome) => {
          clearTimeout(grace);
          signal.removeEventListener('abort', onAbort);
          if (isTold) stopping -= 1;
          forget(id);
          released?.();
          if (outcome instanceof TransportError) reject(outcome);
          else resolve(outcome);
        },
      };
      for (const other of calls.values()) other.shared = true;
      calls.set(id, inFlight);
      total += 1;
      signal.addEventListener('abort', onAbort, { once: true });
      options.write(JSON.stringify(call.frame));
    });
  };

  const push = (frame: StdoutFrame): string | null => {
    frames += 1;
    const id = frame.invocationId;
    if (id === undefined) return 'a frame of a worker does not say which call it belongs to (invocationId)';
    const inFlight = calls.get(id);
    if (frame.vcp === 'progress') {
      // Progress that crosses with the end of its call is late, not wrong.
      if (inFlight !== undefined && (inFlight.isAccepted || !inFlight.call.signal.aborted))
        inFlight.call.reportProgress(frame.payload);
      return null;
    }
    if (inFlight === undefined && letGo.delete(id)) return null;
    if (inFlight === undefined) {
      return answered.has(id)
        ? 'the worker answered a call twice; a call has exactly one terminal frame'
        : 'the worker answered a call that it was not given';
    }
    if (inFlight.isAccepted) return 'the worker answered a call twice; a call has exactly one terminal frame';
    const { call } = inFlight;
    const isAcceptance = (frame.payload as { readonly status?: unknown } | null)?.status === 'accepted';
    if (isAcceptance && call.frame.payload.context.task !== undefined && !call.signal.aborted) {
      inFlight.accept(frame.payload);
    } else inFlight.settle({ payload: frame.payload, warnings: [] });
    return null;
  };

  return {
    get inFlight() {
      return calls.size;
    },
    get stopping() {
      return stopping;
    },
    get total() {
      return total;
    },
    send,
    push,
    end: (failure) => {
      for (const inFlight of calls.values()) inFlight.settle(failure(!inFlight.shared));
    },
  };
};
