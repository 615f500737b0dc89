// The tool of the long run: most calls do a little work, some fall over, some take too long.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { servePlugin } from '../../../../plugin-kit/node/vcp-plugin.mjs';

servePlugin({
  Work: ({ text }) => ({ data: { sha256: createHash('sha256').update(text).digest('hex') } }),
  Crash: () => process.exit(3),
  // Half of them do not heed the end of their call either, as a library that blocks would not.
  Stall: async ({ heeds }, { signal }) => {
    await sleep(60_000, undefined, heeds ? { signal } : {});
    return { data: null };
  },
});
