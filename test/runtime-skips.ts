/**
 * What the suites that run on several runtimes leave out on one of them, and why; docs/capabilities.md has it as a table.
 * Nothing else in these suites may be skipped.
 */
export const RUNTIME_SKIPS = {
  processes: {
    suite: 'conformance, tools',
    runtime: 'Workers; Deno without `--allow-run`',
    left: 'the scenarios of ScheduleManager, a plugin that is a process',
    reason: 'this runtime serves no child-process plugins',
  },
  deadlines: {
    suite: 'sandbox',
    runtime: 'Workers',
    left: 'a guest that computes ends at its deadline',
    reason: 'nothing else runs in this sandbox while a guest computes: fuel ends it',
  },
  heapOfThreads: {
    suite: 'sandbox, threads',
    runtime: 'Deno',
    left: 'a thread whose own heap is full dies alone',
    reason: 'Deno gives a worker no heap of a bounded size',
  },
  nulInText: {
    suite: 'call store, SQLite',
    runtime: 'Deno',
    left: 'a NUL in text that is no JSON is kept',
    reason: 'the SQLite of Deno ends a text that it reads at a NUL',
  },
} as const;
