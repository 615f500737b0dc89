import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { makeGuest } from './test/support/workerd/make-guest.ts';
import { outside } from './test/support/workerd/outside.ts';

// The portable tests, run inside workerd: what passes here needs neither Node nor code generation.
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      // workerd makes no module of bytes while it runs: Node, outside, assembles and instruments the guests of the tests.
      // It is also what a worker of the tests can reach.
      miniflare: { serviceBindings: { GUESTS: makeGuest, OUTSIDE: outside } },
    }),
  ],
  test: {
    name: 'workerd',
    include: ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts', 'test/workers/**/*.test.ts'],
    maxWorkers: 1,
    // A database in workerd answers a statement at a time.
    testTimeout: 20_000,
    provide: { runtime: 'Cloudflare-Workers' },
  },
});
