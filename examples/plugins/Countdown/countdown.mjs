// Counts down while the caller does something else: the call is answered at once, its result comes when the count is over.
import { setTimeout as sleep } from 'node:timers/promises';
// A plugin of your own has a copy of this file beside it: './vcp-plugin.mjs'.
import { servePlugin } from '../../../plugin-kit/node/vcp-plugin.mjs';

servePlugin({
  Countdown: ({ from, stepMs }, call) =>
    call.inBackground(async (job) => {
      for (let left = from; left > 0; left -= 1) {
        job.progress({ stage: 'counting', progress: 1 - left / from, message: `${left} left` });
        await sleep(stepMs, undefined, { signal: job.signal }); // ends at once when the task is cancelled
      }
      return { data: { countedFrom: from }, presentation: { summary: `Counted down from ${from}` } };
    }),
});
