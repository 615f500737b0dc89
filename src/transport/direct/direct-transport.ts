import { checkJsonValue, type JsonBounds } from '../../lib/check-json-value.ts';
import { raceWithSignal, stopReasonOf } from '../../lib/deadline.ts';
import { shortPointer } from '../../lib/json-pointer.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Actor, InvocationSource } from '../../protocol/invocation.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ProgressReport } from '../../protocol/stdio-frame.ts';
import type { ByteRange } from '../../ports/resource-store.ts';
import {
  CallStopped,
  TransportError,
  type BackgroundWork,
  type PluginLocation,
  type ResourceWriter,
  type TaskFinish,
  type TransportAdapter,
  type TransportCall,
  type TransportTask,
} from '../../ports/transport.ts';

/** What an in-process plugin is given beside its arguments (§10.2). */
export type DirectContext = {
  readonly signal: AbortSignal;
  readonly invocationId: string;
  readonly requestId: string;
  readonly command: string;
  readonly requestIp: string | null;
  readonly source: InvocationSource;
  readonly actor: Actor | null;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly resourceWriter: ResourceWriter;
  /** The bytes of a resource among the arguments, by the id that stands there, or the part of them (both ends included). */
  openResource(id: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
  readonly progressReporter: { report(progress: Partial<ProgressReport>): void };
  /** Of an asynchronous command: what it answers `accepted` with, and goes on with afterwards. */
  readonly task: DirectTask | null;
};

/** The task of a module (§10.3). Its `signal` aborts when the task is cancelled, too. */
export type DirectTask = Pick<TransportTask, 'id' | 'callbackUrl' | 'token'> & {
  progress(progress: Partial<ProgressReport>): void;
  /** Ends the task with a payload. What the payload broke is told, and the task goes on. */
  finish(payload: unknown): Promise<TaskFinish>;
  /** The work goes on elsewhere: the task waits for its callback, and not for this module. */
  handOver(): void;
};

/** A trusted module: it runs in the host's own process. */
export type DirectModule = {
  processToolCall(args: JsonObject, context: DirectContext): unknown;
};

/** Gives the module of a plugin; how it is found, and whether it is trusted, is the adapter's affair. */
export type ModuleLoader = { load(plugin: PluginLocation): Promise<DirectModule> };

/**
 * Calls modules in this process. A call settles at its deadline or cancellation even when the module does not heed
 * its signal; what the module answers after that is dropped.
 */
export const createDirectTransport = (loader: ModuleLoader, bounds: JsonBounds): TransportAdapter => ({
  execute: async (call) => {
    const module = await load(call, loader);
    const work = call.task === null ? null : createTaskWork(call, call.task);
    const answer = await settle(call, () =>
      module.processToolCall(call.arguments, contextOf(call, work?.task ?? null)),
    );
    // The payload itself is one level above the data that the bounds speak of.
    const fault = checkJsonValue(answer, { ...bounds, jsonDepth: bounds.jsonDepth + 1 });
    if (fault !== null) {
      const pointer = shortPointer(fault.pointer);
      throw new TransportError(
        'INVALID_TOOL_RESULT',
        `the plugin's result at ${pointer || '(root)'} ${fault.message}`,
        { pointer },
      );
    }
    // A copy: the module may keep what it returned, and change it.
    const payload = JSON.parse(JSON.stringify(answer)) as unknown;
    const isAccepted = (payload as { readonly status?: unknown } | null)?.status === 'accepted';
    return { payload, warnings: [], background: isAccepted ? work?.background : undefined };
  },
});

/** A module that waits for something while it is imported must not keep its first call beyond the deadline. */
const load = async ({ plugin, signal }: TransportCall, loader: ModuleLoader): Promise<DirectModule> => {
  if (signal.aborted) throw stopped(signal);
  try {
    return await raceWithSignal(loader.load(plugin), signal);
  } catch (error) {
    throw signal.aborted ? stopped(signal) : error;
  }
};

const settle = async ({ signal }: TransportCall, run: () => unknown): Promise<unknown> => {
  if (signal.aborted) throw stopped(signal);
  let work: Promise<unknown> | null = null;
  try {
    const running = run();
    // Most modules answer at once; only the others need the race.
    if (!isThenable(running)) return running;
    work = Promise.resolve(running);
    return await raceWithSignal(work, signal);
  } catch (error) {
    if (signal.aborted) throw stopped(signal, work);
    throw new TransportError('INTERNAL_ERROR', `the plugin failed: ${toldBy(error)}`, { thrown: nameOf(error) });
  }
};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

const stopped = (signal: AbortSignal, work: Promise<unknown> | null = null): CallStopped =>
  new CallStopped(stopReasonOf(signal), null, work);

const toldBy = (error: unknown): string => messageOf(error).slice(0, 2_000) || 'without a message';

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** What a module does for its task after it has answered: until it has finished it, handed it over, or is told to stop. */
const createTaskWork = (
  { signal, reportProgress }: TransportCall,
  { id, callbackUrl, token, finish }: TransportTask,
): { readonly task: DirectTask; readonly background: BackgroundWork } => {
  const ended = Promise.withResolvers<null>();
  const end = () => ended.resolve(null);
  signal.addEventListener('abort', end, { once: true });
  return {
    task: {
      id,
      callbackUrl,
      token,
      progress: (progress) => reportProgress(reportOf(progress)),
      finish: async (payload) => {
        const finished = await finish(payload);
        if (finished.ok || finished.code === 'TASK_ENDED') end();
        return finished;
      },
      handOver: end,
    },
    // The signal of the call stops it: nothing else reaches a module.
    background: { ended: ended.promise, stop: end, release: end },
  };
};

/** Work behind an `accepted` has nobody who would catch what is raised here, so nothing is, whatever the module gives. */
const reportOf = (given: Partial<ProgressReport> | null | undefined): ProgressReport => {
  const { stage = null, progress = null, message = null } = given ?? {};
  return { stage, progress, message };
};

const contextOf = (call: TransportCall, task: DirectTask | null): DirectContext => ({
  signal: call.signal,
  invocationId: call.invocationId,
  requestId: call.requestId,
  command: call.command.commandIdentifier,
  requestIp: call.requestIp,
  source: call.source,
  actor: call.actor,
  deadline: call.deadline,
  resourceWriter: call.resourceWriter,
  openResource: async (id, range) => {
    const input = call.inputResources.get(id);
    if (input === undefined)
      throw new Error(`${String(id).slice(0, 64)} is no resource among the arguments of this call`);
    return await input.open(range);
  },
  progressReporter: {
    report: (progress) => call.reportProgress(reportOf(progress)),
  },
  task,
});
