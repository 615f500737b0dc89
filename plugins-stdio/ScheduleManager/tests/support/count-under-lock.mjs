// Counts up a file under the lock, a read and a write apart, and logs each value. Now and then it dies while holding.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireFileLock } from '../../file-lock.mjs';

const [directory, rounds] = [process.argv[2], Number(process.argv[3])];
for (let round = 0; round < rounds; round += 1) {
  const lock = await acquireFileLock(directory, 'counter.lock', { waitMs: 30_000 });
  const next = Number(readFileSync(join(directory, 'counter'), 'utf8')) + 1;
  await new Promise((resolve) => setTimeout(resolve, 1));
  if (Math.random() < 0.15) process.kill(process.pid, 'SIGKILL');
  writeFileSync(join(directory, 'counter'), String(next));
  appendFileSync(join(directory, 'log'), `${next}\n`);
  if (Math.random() < 0.15) process.kill(process.pid, 'SIGKILL');
  lock.release();
}
