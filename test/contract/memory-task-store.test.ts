import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { createMemoryIdempotencyStore, type MemoryKeyClaims } from '../../adapters/memory/memory-idempotency-store.ts';
import { createMemoryTasks, createMemoryTaskStore } from '../../adapters/memory/memory-task-store.ts';
import { describeTaskStore } from './suites/task-store.ts';

describeTaskStore('memory', async () => {
  const shared = createMemoryTasks();
  const claims: MemoryKeyClaims = new Map();
  return {
    tasks: createMemoryTaskStore(shared),
    calls: createMemoryCallStore(claims, shared),
    keys: createMemoryIdempotencyStore(claims),
    close: () => Promise.resolve(),
  };
});
