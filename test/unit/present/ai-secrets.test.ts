import { describe, expect, it } from 'vitest';
import { aiViewOf } from '../../support/ai-view.ts';

// Put together at run time, so that no scanner takes a test for a leak.
const PASSWORD = ['Zq7Wm2Xk', '9Lp4Vt8R', 'n3Bc6Hd1'].join('');
const DATABASE = `postgres://admin:${PASSWORD}@db.example/x`;
const TOKEN = `sk-${Array.from({ length: 3_000 }, (_, n) => (n * n * 7 + n).toString(36).slice(-1)).join('')}`;

/** Whether any eight characters in a row of a secret stand somewhere in a view. */
const shows = (view: object, secret: string): boolean => {
  const text = JSON.stringify(view);
  for (let at = 0; at + 8 <= secret.length; at += 1) if (text.includes(secret.slice(at, at + 8))) return true;
  return false;
};

/** Budgets close enough to each other that some cut falls before, into and behind whatever is looked for. */
const BUDGETS = [...Array.from({ length: 200 }, (_, n) => 300 + n * 5), 50, 2_000, 3_333, 5_000, 30_000];

describe('a secret that a cut falls into', { timeout: 60_000 }, () => {
  it.each<[string, string, unknown]>([
    ['a password in a URL', PASSWORD, { text: `${'words '.repeat(80)}${DATABASE} ${'more '.repeat(5_000)}` }],
    ['a token of 3,000 characters', TOKEN, { text: `${'words '.repeat(80)}${TOKEN} ${'more '.repeat(5_000)}` }],
    ['a token that is all there is', TOKEN, TOKEN],
    ['a token among rows', TOKEN, Array.from({ length: 50 }, () => ({ note: TOKEN }))],
    ['a token as a name', TOKEN.slice(0, 200), { [TOKEN.slice(0, 200)]: 1, rows: [1, 2, 3] }],
    [
      'an environment of 400 variables',
      PASSWORD,
      {
        env: Object.fromEntries(
          Array.from({ length: 400 }, (_, n) => [n === 399 ? 'PATH' : `VARIABLE_${n}`, PASSWORD]),
        ),
        rows: Array.from({ length: 100 }, (_, n) => n),
      },
    ],
  ])('is not shown in part: %s', (_, secret, data) => {
    for (const maxCharacters of BUDGETS) expect(shows(aiViewOf({ data }, { maxCharacters }), secret)).toBe(false);
  });

  it('is not shown where other secrets, hidden before it, bring it into sight', () => {
    const long = `sk-${'a1'.repeat(2_040)} `;
    for (let at = 16_300; at < 17_900; at += 5) {
      const before = long.repeat(Math.floor(at / long.length)).padEnd(at - 1, long);
      const text = `${before} ${DATABASE} ${'more '.repeat(20_000)}`;
      expect(shows(aiViewOf({ data: { text } }, { maxCharacters: 1_500 }), PASSWORD)).toBe(false);
    }
    for (let at = 32_700; at < 34_300; at += 5) {
      const before = long.repeat(Math.floor(at / long.length)).padEnd(at - 1, long);
      const text = `${before} ${DATABASE} ${'more '.repeat(20_000)}`;
      expect(shows(aiViewOf({ data: { text } }, { maxCharacters: 1_500 }), PASSWORD)).toBe(false);
    }
  });

  it('is listed with its place and reason', () => {
    const data = { url: `see ${DATABASE}`, env: { PATH: '/usr/bin', A: 'b' }, deep: [{ token: TOKEN }] };
    expect(aiViewOf({ data }).omitted.redactions).toEqual([
      { pointer: '/data/url', reason: 'secret' },
      { pointer: '/data/env', reason: 'environment' },
      { pointer: '/data/deep/0/token', reason: 'secret' },
    ]);
  });
});
