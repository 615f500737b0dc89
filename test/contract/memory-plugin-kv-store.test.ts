import { createMemoryPluginKvStore } from '../../adapters/memory/memory-plugin-kv-store.ts';
import { describePluginKvStore } from './suites/plugin-kv-store.ts';

describePluginKvStore('memory', async () => ({ store: createMemoryPluginKvStore(), close: () => Promise.resolve() }));
