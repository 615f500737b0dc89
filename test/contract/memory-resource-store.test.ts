import { createMemoryResourceStore } from '../../adapters/memory/memory-resource-store.ts';
import { describeResourceStore } from './suites/resource-store.ts';

describeResourceStore('memory', async () => ({ store: createMemoryResourceStore(), close: () => Promise.resolve() }));
