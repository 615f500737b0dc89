// Waits, and says how far it is. One process serves many calls at once; a cancelled one stops at once.
import { setTimeout as sleep } from 'node:timers/promises';
// A plugin of your own has a copy of this file beside it: './vcp-plugin.mjs'.
import { PluginError, servePlugin } from '../../../plugin-kit/node/vcp-plugin.mjs';

servePlugin({
  Wait: async ({ seconds }, call) => {
    const until = Date.now() + seconds * 1_000;
    if (until > call.deadline.getTime()) {
      throw new PluginError('WAIT.TOO_LONG', `${seconds} s are more than this call may take; ask for less`, {
        target: 'seconds',
        details: { deadline: call.deadline },
      });
    }
    for (let left = seconds; left > 0; left -= 1) {
      call.progress({ progress: 1 - left / seconds, message: `${left} s left` });
      await sleep(Math.min(left, 1) * 1_000, undefined, { signal: call.signal });
    }
    return { data: { seconds }, presentation: { summary: `Waited ${seconds} s` } };
  },
});
