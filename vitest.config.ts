import { defineConfig } from 'vitest/config';

// One project for each folder below test/. `unit` and `property` are portable: they also run on Deno (deno.json) and
// inside workerd (vitest.workers.config.ts), so they must not import anything of Node.
const projects = ['unit', 'property', 'contract', 'conformance', 'pins', 'e2e', 'plugins', 'requirements'];

export default defineConfig({
  test: {
    // Two workers suit the two cores of a small CI machine; more would only make timing tests flaky.
    maxWorkers: 2,
    // For a test that makes sure the workers run on the same runtime as vitest itself.
    provide: { runtime: 'Deno' in globalThis ? 'Deno' : 'Node.js' },
    projects: projects.map((name) => ({
      extends: true,
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        // Real child processes, sockets and databases start in these; the rest answers within vitest's 5 seconds.
        ...(['contract', 'conformance', 'e2e', 'plugins'].includes(name) ? { testTimeout: 30_000 } : {}),
        // Nothing that they test has a state of its own, and a new worker for each file takes as long as its tests.
        ...(['unit', 'property'].includes(name) ? { isolate: false } : {}),
      },
    })),
  },
});
