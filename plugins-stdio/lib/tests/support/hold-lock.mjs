// Takes the lock of a key in the directory named by the first argument, says so, and keeps it until it is killed.
import { createProcessLocks } from '../../process-locks.mjs';

const [directory, key] = process.argv.slice(2);
await createProcessLocks(directory).hold([key], { giveUpAt: Date.now() + 20_000 }, async () => {
  console.log('held');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
