import { runCommand } from './commands.mjs';
import { readInvocations, writeResult } from './frames.mjs';
import { openScheduleStore } from './schedule-store.mjs';

const EXIT_CODE_SIGTERM = 143;

const cancellation = new AbortController();
process.once('SIGTERM', () => {
  // Abort listeners run at once: whoever holds or awaits the store's lock has let go before the exit.
  cancellation.abort();
  process.exit(EXIT_CODE_SIGTERM);
});

const store = openScheduleStore(process.env.VCP_PLUGIN_DATA_DIR, { signal: cancellation.signal });
let answered = false;
for await (const invocation of readInvocations(process.stdin)) {
  await writeResult(process.stdout, await runCommand(invocation, { store }));
  answered = true;
  break; // one invocation a process
}
if (!answered) {
  console.error('ScheduleManager: stdin ended without a tool-invocation line');
  process.exitCode = 1;
}
