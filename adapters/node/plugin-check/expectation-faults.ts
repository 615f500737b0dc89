import { isDeepStrictEqual } from 'node:util';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import type { ContractCase } from './contract-cases.ts';

/** Where a result differs from what a case expects, one line each. `data` is a subset: objects may hold more, lists may not. */
export const expectationFaults = (expect: ContractCase['expect'], result: CanonicalToolResult): string[] => {
  const faults: string[] = [];
  const compare = (what: string, expected: unknown, actual: unknown) => {
    if (!isPartOf(expected, actual))
      faults.push(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
  };
  compare('status', expect.status, result.status);
  if (expect.errorCode !== undefined) compare('error.code', expect.errorCode, result.error?.code);
  if (expect.target !== undefined) compare('error.target', expect.target, result.error?.target);
  if (expect.warnings !== undefined) {
    compare(
      'warnings',
      expect.warnings,
      result.warnings.map(({ code }) => code),
    );
  }
  if (expect.data !== undefined) compare('data', expect.data, result.data);
  return faults;
};

/** Objects may hold more than is expected, lists may not. */
const isPartOf = (expected: unknown, actual: unknown): boolean => {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((item, index) => isPartOf(item, actual[index]));
  }
  if (typeof expected !== 'object' || expected === null) return isDeepStrictEqual(expected, actual);
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(expected).every(([key, value]) => isPartOf(value, (actual as Record<string, unknown>)[key]));
};
