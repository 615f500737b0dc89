// Takes the lock of the directory named by the first argument, says so with its pid, and keeps it.
import { acquireFileLock } from '../../file-lock.mjs';

const cancellation = new AbortController();
process.once('SIGTERM', () => {
  cancellation.abort();
  process.exit(143);
});
await acquireFileLock(process.argv[2], 'schedules.lock', { waitMs: 5_000, signal: cancellation.signal });
console.log(process.pid);
setInterval(() => {}, 60_000);
