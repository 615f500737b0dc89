import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

// The portable tests, run inside workerd: what passes here needs neither Node nor code generation.
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
  test: {
    name: 'workerd',
    include: ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts', 'test/workers/**/*.test.ts'],
    maxWorkers: 1,
    // A database in workerd answers a statement at a time.
    testTimeout: 20_000,
    provide: { runtime: 'Cloudflare-Workers' },
  },
});
