// The program of a sandbox's worker thread: one run at a time, each in an instance of its own.
import process from 'node:process';
import { parentPort } from 'node:worker_threads';
import { createPlugin } from '@extism/extism';
import { messageOf } from '../../../src/lib/message-of.ts';
import type { HostCall } from '../../../src/ports/wasm-sandbox.ts';
import { GuestFault } from '../../../src/sandbox/guest/guest-fault.ts';
import type { GuestAnswer, GuestChannel, GuestEnd, GuestRequest } from '../../../src/sandbox/guest/guest-state.ts';
import { GuestNotStarted, prepareGuest, type CreatePlugin } from '../../../src/sandbox/guest/prepare-guest.ts';
import { PAGE_BYTES } from '../../../src/sandbox/page-bytes.ts';
import { createGarbageCollection } from './collect-garbage.ts';
import { createPreparedGuests } from './prepared-guests.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

if (parentPort === null) throw new Error('sandbox-worker.ts is the program of a worker thread');
const port = parentPort;

/** Runs between two looks at the worker's own memory. */
const RUNS_PER_LOOK = 64;

const garbage = createGarbageCollection();

const modules = new Map<string, WebAssembly.Module>();
const guests = createPreparedGuests((digest) => {
  const module = modules.get(digest);
  if (module === undefined) return Promise.reject(new Error(`module ${digest} was not sent`));
  return prepareGuest(module, createPlugin as unknown as CreatePlugin);
});
/** Who waits for the answer of a host function. */
let asked: PromiseWithResolvers<GuestAnswer> | null = null;
let runs = 0;

const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

const channel: GuestChannel = {
  call: (call: HostCall) => {
    asked = Promise.withResolvers();
    send({ type: 'call', call }, call.bytes === null ? [] : [call.bytes.buffer as ArrayBuffer]);
    return asked.promise;
  },
  log: (call) => send({ type: 'log', call }),
};

const run = async (digest: string, request: GuestRequest): Promise<GuestEnd> => {
  try {
    const guest = await guests.take(digest);
    return await guest.run(request, channel);
  } catch (error) {
    if (error instanceof GuestNotStarted) return error.end;
    // A mistake of ours must end this run, and not the thread.
    const usage = { fuel: null, memoryPages: null, droppedLogBytes: 0 };
    return { type: 'fault', fault: 'sandbox-lost', message: `the sandbox has failed: ${messageOf(error)}`, usage };
  }
};

const heldBytes = (): number | null => {
  runs += 1;
  if (runs % RUNS_PER_LOOK !== 0) return null;
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
};

const receive = async (message: ToWorker): Promise<void> => {
  if (message.type === 'answer') {
    const bytes = message.bytes === null ? null : new Uint8Array(message.bytes);
    return asked?.resolve({ text: message.text, bytes });
  }
  if (message.type === 'misuse') return asked?.reject(new GuestFault('host-misuse', message.message));
  if (message.type === 'forget') {
    modules.delete(message.digest);
    return guests.forget(message.digest);
  }
  const { digest, module } = message;
  if (module !== null) modules.set(digest, module);
  const end = await run(digest, { ...message.request, input: new Uint8Array(message.input) });
  // The next call of this module finds its instance made; one that ends badly is not worth the work.
  const prepares = message.preparesNext && end.type === 'output';
  send({ type: 'end', end, heldBytes: heldBytes(), prepares }, end.type === 'output' ? [end.bytes.buffer] : []);
  garbage.left((end.usage.memoryPages ?? 0) * PAGE_BYTES);
  if (prepares) send({ type: 'ready', digest, prepared: await guests.prepare(digest) });
};

port.on('message', (message: ToWorker) => void receive(message));
send({ type: 'booted' });
