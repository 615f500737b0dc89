import type { Limits } from '../../../src/lib/limits.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import { TransportError, type TransportLimits, type TransportReply } from '../../../src/ports/transport.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import { redactText } from '../../../src/policy/sensitive-text.ts';
import { createFrameReader, type FrameFault } from '../../../src/transport/stdio/frame-reader.ts';
import { describeExit } from '../../../src/transport/stdio/judge-outcome.ts';
import { createWorkerSession, type WorkerCall } from '../../../src/transport/stdio/worker-session.ts';
import type { ChildExit, ChildSpec, StartChild } from './child-process.ts';
import { residentBytes } from './resident-bytes.ts';

export type WorkerLimits = TransportLimits & Pick<Limits, 'workerCalls' | 'workerMemoryBytes' | 'workerIdleMs'>;

/** A long-lived process that answers many calls (§11, mode `worker`). */
export type WorkerProcess = {
  /** Calls that hold a place in it. */
  readonly inFlight: number;
  /** Whether it will take new calls. It never does so again once it does not. */
  readonly isOpen: boolean;
  /** Whether it has yet to show that it heeds being told to stop a call; a call given to it now might end with it. */
  readonly isInDoubt: boolean;
  send(call: WorkerCall): Promise<TransportReply>;
  /** Takes no new calls; the process ends after its last one. */
  retire(reason: string): void;
  /** Ends the process now; calls in flight fail. */
  stop(): Promise<void>;
  /** Rejects with a TransportError when the process could not be started. */
  readonly started: Promise<void>;
  /** The process has gone, or could not be started. Never rejects. */
  readonly gone: Promise<void>;
};

export type WorkerProcessOptions = {
  readonly toolName: string;
  readonly start: StartChild;
  readonly spec: ChildSpec;
  readonly limits: WorkerLimits;
  readonly logger: Logger;
  /** A place has become free, or the process has gone. */
  onChange(): void;
};

const DISOBEDIENCE = 'the worker did not end a call that it was told to stop';

/** What is wrong with the output, without a word of it. */
const describeFault = ({ kind }: FrameFault, { frameBytes }: WorkerLimits): string =>
  ({
    'not-a-frame': 'the worker printed something on stdout that is no protocol frame',
    'too-large': `the worker printed a frame that is larger than ${frameBytes} bytes`,
    'invalid-utf8': 'the worker printed something on stdout that is not UTF-8',
  })[kind];

/** Characters of what a worker printed that the log gets, at its most talkative level. */
const LOGGED_CHARACTERS = 2_000;

/** Calls between two looks at the memory of a worker. */
const CALLS_PER_MEMORY_CHECK = 64;

export const startWorkerProcess = (options: WorkerProcessOptions): WorkerProcess => {
  const { toolName, start, spec, limits, logger, onChange } = options;
  const reader = createFrameReader(limits);
  let retiredFor: string | null = null;
  let failure: {
    readonly code: TransportError['code'];
    readonly message: string;
    readonly fault: FrameFault | null;
  } | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let checksMemory = false;
  let isStopping = false;
  let isDisobedient = false;

  const isOpen = (): boolean => failure === null && retiredFor === null && !isStopping && !child.hasExited;

  const log = (event: string, more: Readonly<Record<string, string | number | null>> = {}) =>
    logger.info(event, { toolName, pid: child.pid, calls: session.total, ...more });

  /** A worker that broke the protocol cannot be trusted with another line: every call in it ends with it. */
  const fail = (code: TransportError['code'], message: string, fault: FrameFault | null = null): void => {
    if (failure !== null) return;
    failure = { code, message, fault };
    void child.stop();
  };

  const onEnded = (): void => {
    if (session.inFlight === 0) onIdle();
    else if (isDisobedient) endWhenDone();
    onChange();
  };

  /** A worker that still answers others lets them end; one that has fallen silent would only keep them waiting. */
  const onIgnoredCancel = (isAlive: boolean): void => {
    isDisobedient = true;
    retire(DISOBEDIENCE);
    if (isAlive) endWhenDone();
    else fail('TRANSPORT_FAILURE', DISOBEDIENCE);
  };

  const endWhenDone = (): void => {
    if (session.inFlight === session.stopping) fail('TRANSPORT_FAILURE', DISOBEDIENCE);
  };

  const onIdle = (): void => {
    clearTimeout(idleTimer);
    if (retiredFor === null && session.total >= limits.workerCalls) retire(`it has answered ${session.total} calls`);
    else if (!isOpen()) endQuietly();
    else {
      idleTimer = setTimeout(() => retire('it was idle'), limits.workerIdleMs);
      idleTimer.unref();
    }
  };

  const session = createWorkerSession({
    write: (line) => child.write(`${line}\n`),
    onIgnoredCancel,
    onEnded,
    cancelGraceMs: limits.killGraceMs,
  });

  const child = start(spec, limits, (chunk) => {
    for (const frame of reader.push(chunk)) {
      if (failure !== null) return;
      const wrong = session.push(frame);
      if (wrong !== null) fail('INVALID_TOOL_RESULT', wrong);
    }
    if (reader.fault !== null) fail('INVALID_TOOL_RESULT', describeFault(reader.fault, limits), reader.fault);
  });

  const endQuietly = (): void => {
    child.endInput();
    const impatience = setTimeout(() => void child.stop(), limits.killGraceMs);
    child.closed.then(
      () => clearTimeout(impatience),
      () => clearTimeout(impatience),
    );
  };

  const retire = (reason: string): void => {
    if (retiredFor !== null) return;
    retiredFor = reason;
    if (session.inFlight === 0) endQuietly();
  };

  const lookAtMemory = async (): Promise<void> => {
    if (checksMemory || child.pid === null) return;
    checksMemory = true;
    try {
      const bytes = await residentBytes(child.pid);
      if (bytes !== null && bytes > limits.workerMemoryBytes) retire(`it has grown to ${bytes} bytes`);
    } finally {
      checksMemory = false;
    }
  };

  const endOfCalls = (exit: ChildExit | null, startFailure: TransportError | null) => {
    const stderr = child.stderrTail();
    const fault = failure?.fault ?? null;
    // What a process printed can only be given to the first call that it ever had: of a later one nobody can say that
    // it was not another caller's. Operators find it in the log.
    const isTold = session.total === 1;
    return (alone: boolean): TransportError => {
      if (startFailure !== null) return startFailure;
      const details: Record<string, JsonValue> = {
        exitCode: exit?.code ?? null,
        signal: exit?.signal ?? null,
        ...(isTold && stderr !== '' ? { stderr } : {}),
        ...(isTold && fault !== null ? { firstOffendingOutput: fault.excerpt } : {}),
      };
      if (failure === null) {
        // §11.3: a process that ends well without an answer has broken the protocol.
        if (alone && exit?.code === 0 && !isStopping) {
          return new TransportError(
            'INVALID_TOOL_RESULT',
            'the worker ended without a result frame on stdout',
            details,
          );
        }
        const how = exit === null ? '' : ` with ${describeExit({ ...exit, lingered: false })}`;
        return new TransportError('TRANSPORT_FAILURE', `the worker ended${how} before it had answered`, details);
      }
      const message = isTold && fault !== null ? fault.message : failure.message;
      if (alone) return new TransportError(failure.code, message, details);
      return new TransportError(
        'TRANSPORT_FAILURE',
        `the worker was ended because of another call in it, or of this one: ${message}`,
        details,
      );
    };
  };

  const logOutput = (): void => {
    const printed = [child.stderrTail(), failure?.fault?.message ?? ''].join('\n').trim().slice(-LOGGED_CHARACTERS);
    if (printed === '') return;
    logger.debug('stdio.worker-output', { toolName, pid: child.pid, text: redactText(printed)?.text ?? printed });
  };

  const finish = (exit: ChildExit | null, startFailure: TransportError | null): void => {
    clearTimeout(idleTimer);
    const interrupted = session.inFlight;
    const end = endOfCalls(exit, startFailure);
    if (exit !== null) {
      const reason = failure?.message ?? retiredFor ?? (isStopping ? 'the server is stopping' : 'it ended by itself');
      const isExpected = isStopping || (failure === null && retiredFor !== null);
      const event = isExpected ? 'stdio.worker-recycled' : 'stdio.worker-failed';
      log(event, { reason, interrupted, exitCode: exit.code, signal: exit.signal });
      logOutput();
    }
    session.end(end);
    onChange();
  };

  const gone = child.closed.then(
    (exit) => {
      for (const frame of reader.end()) if (failure === null) session.push(frame);
      finish(exit, null);
    },
    (error: unknown) => finish(null, error as TransportError),
  );

  if (child.pid !== null) {
    log('stdio.worker-started');
    // It may have been started ahead, for a call that never comes.
    onIdle();
  }

  return {
    get inFlight() {
      return session.inFlight;
    },
    get isOpen() {
      return isOpen();
    },
    get isInDoubt() {
      return session.stopping > 0;
    },
    send: (call) => {
      const sent = session.send(call);
      // A call that was stopped before has not begun, and leaves the worker as idle as it was.
      if (session.inFlight > 0) clearTimeout(idleTimer);
      if (session.total % CALLS_PER_MEMORY_CHECK === 0) void lookAtMemory();
      // It is due, and was never without a call: the next ones go to its successor.
      if (session.total >= 2 * limits.workerCalls) retire(`it has answered ${session.total} calls`);
      return sent;
    },
    retire,
    stop: async () => {
      isStopping = true;
      await child.stop();
      await gone;
    },
    started: child.pid === null ? child.exited.then(() => undefined) : Promise.resolve(),
    gone,
  };
};
