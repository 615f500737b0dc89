import { RUNTIME_SKIPS } from '../../test/runtime-skips.ts';
import { markdownTable } from './write.ts';

/** What the suites of all runtimes leave out on one of them. */
export const skipsTable = (): string =>
  markdownTable(
    ['suite', 'on', 'left out', 'because'],
    Object.values(RUNTIME_SKIPS).map(({ suite, runtime, left, reason }) => [suite, runtime, left, reason]),
  );
