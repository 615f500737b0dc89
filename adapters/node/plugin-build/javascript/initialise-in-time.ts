import { Worker } from 'node:worker_threads';
import { PluginBuildError } from '../build-report.ts';
import type { Bundle } from './bundle-source.ts';
import type { InitialisedPlugin } from './initialise-plugin.ts';

/** Far more than any table or parser takes to be made. */
const TOP_LEVEL_MS = 10_000;

export type InitialiseRequest = { readonly module: WebAssembly.Module; readonly bundle: Bundle };

export type Initialisation =
  | { readonly ok: true; readonly plugin: InitialisedPlugin }
  | { readonly ok: false; readonly fault: string };

/**
 * `initialisePlugin` in a thread of its own, which is ended when it is not done in time.
 *
 * @throws PluginBuildError with what the bundle threw, or that it does not end.
 */
export const initialiseInTime = async (
  request: InitialiseRequest,
  timeoutMs: number = TOP_LEVEL_MS,
): Promise<InitialisedPlugin> => {
  const worker = new Worker(new URL('initialise-worker.ts', import.meta.url), { workerData: request, env: {} });
  let timer: NodeJS.Timeout | undefined;
  try {
    const done = await new Promise<Initialisation>((settle, fail) => {
      worker.once('message', settle);
      worker.once('error', fail);
      worker.once('exit', () => fail(new Error('the thread that ran the top level of the plugin was lost')));
      timer = setTimeout(() => settle({ ok: false, fault: endless(timeoutMs) }), timeoutMs);
    });
    if (!done.ok) throw new PluginBuildError(done.fault);
    return done.plugin;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
};

const endless = (timeoutMs: number): string =>
  `the top level of the module does not end: it was stopped after ${timeoutMs / 1_000} s. It runs once, when the plugin ` +
  'is built. Look for a loop outside of the handlers, also in libraries';
