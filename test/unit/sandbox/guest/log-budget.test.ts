import { expect, it } from 'vitest';
import { createLogBudget } from '../../../../src/sandbox/guest/log-budget.ts';

it('keeps log lines until one does not fit, and none after it', () => {
  const budget = createLogBudget();
  expect(budget.admit(1)).toBe(false);
  const used = createLogBudget();
  used.limit(10 + 2 * 256);
  expect([used.admit(4), used.admit(6), used.droppedBytes]).toEqual([true, true, 0]);
  const cut = createLogBudget();
  cut.limit(10 + 2 * 256);
  expect([cut.admit(4), cut.admit(7), cut.admit(1), cut.droppedBytes]).toEqual([true, false, false, 8 + 2 * 256]);
});

it('keeps only so many empty lines, and says that others were dropped', () => {
  const budget = createLogBudget();
  budget.limit(1_000);
  expect(Array.from({ length: 5 }, () => budget.admit(0))).toEqual([true, true, true, false, false]);
  expect(budget.droppedBytes).toBe(512);
});
