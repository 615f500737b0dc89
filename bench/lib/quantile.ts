/** The value that a share `at` (0 to 1) of the numbers does not exceed. */
export function quantile(numbers: readonly number[], at: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? NaN;
}
