import { createMemoryCallStore } from '../../adapters/memory/memory-call-store.ts';
import { describeCallStore } from './suites/call-store.ts';

describeCallStore('memory', async () => ({ store: createMemoryCallStore(), close: () => Promise.resolve() }));
