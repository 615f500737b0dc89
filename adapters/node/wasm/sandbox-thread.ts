import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../src/lib/message-of.ts';
import type { HostCall } from '../../../src/ports/wasm-sandbox.ts';
import type { GuestAnswer, GuestEnd, GuestRequest } from '../../../src/sandbox/guest/guest-state.ts';
import { copiedBytes } from './copied-bytes.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** What a run is, for the thread that carries it out. */
export type ThreadRun = {
  readonly digest: string;
  readonly module: WebAssembly.Module;
  readonly request: GuestRequest;
  /** Answers a call of a host function: what the guest gets, or why its request is none. */
  onCall(call: HostCall): Promise<{ readonly answer: GuestAnswer } | { readonly misuse: string }>;
  onLog(call: HostCall): void;
  /** Whether the thread makes the next instance of the module when the run has ended well. */
  readonly preparesNext: boolean;
  /** Called once. */
  onEnd(end: GuestEnd | { readonly type: 'lost'; readonly reason: string }): void;
  /** Called once, behind `onEnd`: when no code of the module runs in the thread any more, or it has not ended in time. */
  onFree(how: 'idle' | 'slow' | 'gone'): void;
};

/** A worker thread with at most one run inside. */
export type SandboxThread = {
  run(run: ThreadRun): void;
  forget(digest: string): void;
  /** Whether an instance of this module waits in it. */
  hasPrepared(digest: string): boolean;
  readonly isBooted: boolean;
  /** Whether its run has ended and an instance for the next is being made. */
  readonly isPreparing: boolean;
  readonly runs: number;
  /** What its heap and buffers took when it last looked. */
  readonly heldBytes: number;
  /** Ends it now, whatever runs inside, which is lost if anybody waits for it still; resolves when it is gone. */
  end(): Promise<void>;
};

const IS_DENO = process.versions['deno'] !== undefined;

/** Guests have no part in a worker's own heap; what is there beside a few instances is ours. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Milliseconds that making an instance ahead may take: its start functions run, and nobody waits for them. */
const PREPARING_MS = 1_000;

/** Starts a worker. `onGone` is told once when it ends by itself, which no worker does unless something is wrong. */
export const startSandboxThread = (onGone: () => void): SandboxThread => {
  const worker = new Worker(new URL('sandbox-worker.ts', import.meta.url), {
    name: 'wasm sandbox',
    // Extism imports node:wasi, which warns; Deno knows none of Node's options.
    execArgv: IS_DENO ? [] : ['--disable-warning=ExperimentalWarning'],
    // Nothing of the server's environment is there to be found.
    env: {},
    resourceLimits: HEAP,
  });
  const sent = new Set<string>();
  const prepared = new Set<string>();
  let running: ThreadRun | null = null;
  let preparing: { readonly run: ThreadRun; readonly timer: ReturnType<typeof setTimeout> } | null = null;
  let isBooted = false;
  let isOver = false;
  let runs = 0;
  let heldBytes = 0;

  const send = (message: ToWorker, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);

  /** The module is sent once; a worker compiles nothing. */
  const unsent = (digest: string, module: WebAssembly.Module): WebAssembly.Module | null => {
    if (sent.has(digest)) return null;
    sent.add(digest);
    return module;
  };

  const answer = async (run: ThreadRun, call: HostCall) => {
    const answered = await run.onCall(call);
    if (isOver || running !== run) return;
    if ('misuse' in answered) send({ type: 'misuse', message: answered.misuse });
    else {
      const { text, bytes } = answered.answer;
      const copied = bytes === null ? null : copiedBytes(bytes);
      send({ type: 'answer', text, bytes: copied?.buffer ?? null }, copied?.transfer);
    }
  };

  const free = (how: 'idle' | 'slow' | 'gone') => {
    if (preparing === null) return;
    const { run, timer } = preparing;
    preparing = null;
    clearTimeout(timer);
    run.onFree(how);
  };

  const settle = (end: Parameters<ThreadRun['onEnd']>[0], prepares = false) => {
    const run = running;
    running = null;
    worker.unref();
    if (run === null) return;
    if (prepares) preparing = { run, timer: setTimeout(() => free('slow'), PREPARING_MS) };
    run.onEnd(end);
    if (!prepares) run.onFree(isOver ? 'gone' : 'idle');
  };

  const gone = (reason: string) => {
    if (isOver) return;
    isOver = true;
    onGone();
    settle({ type: 'lost', reason });
    free('gone');
  };

  worker.on('message', (message: FromWorker) => {
    if (isOver) return;
    if (message.type === 'booted') isBooted = true;
    else if (message.type === 'ready') {
      if (message.prepared && sent.has(message.digest)) prepared.add(message.digest);
      free('idle');
    } else if (message.type === 'end') {
      heldBytes = message.heldBytes ?? heldBytes;
      settle(message.end, message.prepares);
    } else if (running !== null) {
      if (message.type === 'log') running.onLog(message.call);
      else {
        answer(running, message.call).catch((error: unknown) => {
          gone(`an answer could not be sent: ${messageOf(error)}`);
          void worker.terminate();
        });
      }
    }
  });
  worker.on('error', (error) => gone(messageOf(error)));
  worker.on('exit', (code) => gone(`the worker ended with ${code}`));
  // Only a run keeps the process alive. After the listeners: the first for messages would undo it.
  worker.unref();

  return {
    run: (run) => {
      running = run;
      runs += 1;
      prepared.delete(run.digest);
      worker.ref();
      const { digest, module, preparesNext } = run;
      const { input, ...request } = run.request;
      const { buffer, transfer } = copiedBytes(input);
      send({ type: 'run', digest, module: unsent(digest, module), request, input: buffer, preparesNext }, transfer);
    },
    forget: (digest) => {
      if (!sent.delete(digest)) return;
      prepared.delete(digest);
      send({ type: 'forget', digest });
    },
    hasPrepared: (digest) => prepared.has(digest),
    get isBooted() {
      return isBooted;
    },
    get isPreparing() {
      return preparing !== null;
    },
    get runs() {
      return runs;
    },
    get heldBytes() {
      return heldBytes;
    },
    end: async () => {
      if (isOver) return;
      isOver = true;
      settle({ type: 'lost', reason: 'it was closed' });
      free('gone');
      await worker.terminate();
    },
  };
};
