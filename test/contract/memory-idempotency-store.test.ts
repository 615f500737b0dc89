import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { createMemoryIdempotencyStore, type MemoryKeyClaims } from '../../adapters/memory/memory-idempotency-store.ts';
import { describeIdempotencyStore } from './suites/idempotency-store.ts';

describeIdempotencyStore('memory', async () => {
  const claims: MemoryKeyClaims = new Map();
  return {
    keys: createMemoryIdempotencyStore(claims),
    calls: createMemoryCallStore(claims),
    close: () => Promise.resolve(),
  };
});
