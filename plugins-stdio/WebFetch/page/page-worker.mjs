// The thread that reads pages: a page may be made to take for ever, and a thread can be ended.
import { parentPort } from 'node:worker_threads';
import { PluginError } from '../../../plugin-kit/node/vcp-plugin.mjs';
import { readHtml } from './read-html.mjs';

parentPort.on('message', ({ source, url, options }) => {
  try {
    parentPort.postMessage({ page: readHtml(source, url, options) }, []);
  } catch (error) {
    const { code, message, target } = error;
    parentPort.postMessage(error instanceof PluginError ? { failure: { code, message, target } } : { error }, []);
  }
});
parentPort.postMessage('ready', []);
