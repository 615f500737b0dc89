// The thread in which a plugin's top level runs while it is built: one that does not end is ended from outside.
import { parentPort, workerData } from 'node:worker_threads';
import { PluginBuildError } from '../build-report.ts';
import { initialisePlugin } from './initialise-plugin.ts';
import type { Initialisation, InitialiseRequest } from './initialise-in-time.ts';

const { module, bundle } = workerData as InitialiseRequest;

const initialise = (): Initialisation => {
  try {
    return { ok: true, plugin: initialisePlugin(module, bundle) };
  } catch (error) {
    if (error instanceof PluginBuildError) return { ok: false, fault: error.message };
    throw error;
  }
};

parentPort?.postMessage(initialise(), []);
