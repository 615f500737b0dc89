/** What a runner did. A file that could not be loaded, or an error outside of any test, counts as one failure. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Which ones, with the reason where the runner tells it: nothing is skipped silently. */
  skippedNames?: readonly string[];
}

/** The part of vitest's JSON report that we read. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
    readonly assertionResults: readonly { readonly status: string; readonly fullName?: string }[];
  }[];
}

/** Reads a report of vitest's `json` reporter. */
export function countVitest(text: string): Counts {
  const report = JSON.parse(text) as VitestReport;
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + report.numTodoTests,
    skippedNames: report.testResults.flatMap(({ assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo')
        .map(({ fullName = '(no name)' }) => fullName),
    ),
  };
}
