import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonPointer } from '../../src/lib/json-pointer.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { ResultView } from '../../src/protocol/invocation.ts';
import { project } from '../../src/runtime/project.ts';
import { canonicalResult, descriptor, TOOL_ERROR } from '../support/sample-values.ts';

// The same inputs in every run; a failure prints this seed and the path to its smallest counterexample.
fc.configureGlobal({ seed: 20_260_711 });

// Put together at run time, so that no scanner takes a test for a leak.
const CORE = ['Zq7Wm2Xk', '9Lp4Vt8R', 'n3Bc6Hd1'].join('');
const SECRETS: readonly string[] = [
  `sk-${CORE}`,
  `AKIAZQ7WM2XK9LP4VT8R`,
  `ghp_${CORE}${CORE.slice(0, 12)}`,
  `glpat-${CORE}`,
  `xoxb-${CORE}`,
  `AIza${`${CORE}${CORE}`.slice(0, 35)}`,
  `npm_${CORE}${CORE}`,
  ['eyJhbGciOiJIUzI1NiJ9', `eyJ${CORE}`, CORE].join('.'),
  ['-----BEGIN RSA PRIVATE', `KEY-----\n${CORE}\n-----END RSA PRIVATE`, 'KEY-----'].join(' '),
  `Authorization: Bearer ${CORE}`,
  `Cookie: session=${CORE}; theme=${CORE}`,
  `password=${CORE}`,
  `AWS_SECRET_ACCESS_KEY=${CORE}`,
  `postgres://nova:${CORE}@db.example/x`,
  `https://example.com/a?access_token=${CORE}&b=1`,
  `res_1?exp=1&sig=${CORE}`,
];
const HOST: readonly string[] = [
  `/home/${CORE}/notes.txt`,
  `/strange/place/${CORE}`,
  `C:\\Users\\${CORE}\\a.txt`,
  `file:///${CORE}/a`,
  `\\\\server\\${CORE}`,
  `${CORE}.corp.internal`,
  '10.111.222.133',
  '192.168.111.222',
  'fd12:3456:789a::abcd',
];

/** What of a secret must not be seen: its core, or all of it when it has none. */
const hiddenIn = (secret: string): string => (secret.includes(CORE) ? CORE : secret.replace(/^AKIA/, ''));

const shows = (view: unknown, secret: string): boolean => {
  const text = JSON.stringify(view);
  const hidden = hiddenIn(secret);
  const width = Math.min(8, hidden.length);
  for (let at = 0; at + width <= hidden.length; at += 1) if (text.includes(hidden.slice(at, at + width))) return true;
  return false;
};

const around = fc.constantFrom<[string, string]>(
  ['', ''],
  ['see ', ' there'],
  ['"', '"'],
  ['(', ')'],
  ['first line\n', '\nlast line'],
  ['words '.repeat(60), ` ${'more '.repeat(200)}`],
  ['{"a":"', '"}'],
);

/** A value with the text somewhere in it: as a value or as a key, at some depth, among others. */
const buried = (text: string): fc.Arbitrary<unknown> =>
  fc
    .record({
      steps: fc.array(fc.constantFrom('a', 'rows', 'deep', 'x y', 'pointer', '#'), { maxLength: 6 }),
      asKey: fc.boolean(),
      beside: fc.array(fc.constantFrom<unknown>(1, 'words', null, true, { b: 2 }), { maxLength: 3 }),
    })
    .map(({ steps, asKey, beside }) =>
      steps.reduce<unknown>(
        (inner, step) => (step === '#' ? [...beside, inner] : { [step]: inner, beside }),
        asKey ? { [text]: 1 } : text,
      ),
    );

const fileNameOf = (text: string): string => `${text.replaceAll(/[/\\\n\r]/g, '_').slice(0, 250)}.png`;

type Place = (text: string, value: unknown) => Record<string, unknown>;

const external = { access: { type: 'external', expiresAt: null, requiresAuth: false }, sizeBytes: null, sha256: null };
const presentation = { summary: null, preferredView: null, title: null, primaryResourceId: null };
const advice = { intent: 'relay', message: null, resourceIds: [], renderHint: null, priority: 'normal' };
const warning = { code: 'SLOW', message: 'm', target: null, details: null };

const PLACES: Readonly<Record<string, Place>> = {
  data: (_, value) => ({ data: value }),
  'an error message': (text) => ({ status: 'error', data: null, error: { ...TOOL_ERROR, message: text } }),
  'an error target': (text) => ({ status: 'error', data: null, error: { ...TOOL_ERROR, target: text.slice(0, 900) } }),
  'error details': (_, value) => ({ status: 'error', data: null, error: { ...TOOL_ERROR, details: { value } } }),
  'a pointer in error details': (text) => ({
    status: 'error',
    data: null,
    error: { ...TOOL_ERROR, details: { pointer: toJsonPointer([text]), at: { pointer: `/${text}` } } },
  }),
  'an error cause': (text) => ({
    status: 'error',
    data: null,
    error: { ...TOOL_ERROR, cause: { code: null, message: text } },
  }),
  'a warning message': (text) => ({ warnings: [{ ...warning, message: text }] }),
  'a warning target': (text) => ({ warnings: [{ ...warning, target: text.slice(0, 900) }] }),
  'warning details': (_, value) => ({ warnings: [{ ...warning, details: { value } }] }),
  advice: (text) => ({ aiAdvice: { ...advice, message: text } }),
  'a summary': (text) => ({ presentation: { ...presentation, summary: text } }),
  'a title': (text) => ({ presentation: { ...presentation, title: text } }),
  extensions: (_, value) => ({ extensions: { 'example.x': value } }),
  'a tool name': (text) => ({ tool: { name: text, displayName: null, version: null, command: null } }),
  'an actor': (text) => ({ actor: { type: 'agent', id: null, name: text.slice(0, 256), maid: null } }),
  metadata: (_, value) => ({ resources: [descriptor({ metadata: { value } })] }),
  'an external URL': (text) => ({ resources: [descriptor({ ...external, url: text })] }),
  'a provider': (text) => ({ resources: [descriptor({ source: { type: 'x', provider: text.slice(0, 256) } })] }),
};

const planted = (secrets: readonly string[]) =>
  fc
    .record({ secret: fc.constantFrom(...secrets), place: fc.constantFrom(...Object.keys(PLACES)), around })
    .chain(({ secret, place, around: [before, after] }) => {
      const text = before + secret + after;
      return buried(text).map((value) => ({ secret, place, fields: PLACES[place]!(text, value) }));
    });

const viewOf = (fields: Record<string, unknown>, view: ResultView, role: string, maxCharacters = 30_000): unknown => {
  const parsed = CanonicalToolResult.safeParse(canonicalResult(fields));
  fc.pre(parsed.success);
  return project(parsed.data as CanonicalToolResult, view, {
    viewer: { roles: new Set([role]) },
    knownPaths: ['/strange/place'],
    limits: DEFAULT_LIMITS,
    ai: { maxCharacters },
  });
};

describe('a secret that was planted somewhere in a result', { timeout: 120_000 }, () => {
  const budget = fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.constant(30_000));

  it.each([
    ['a secret', SECRETS],
    ['something of this host', HOST],
  ])('is in no AI view, at any budget: %s', (_, secrets) => {
    fc.assert(
      fc.property(planted(secrets), budget, ({ secret, fields }, maxCharacters) => {
        expect(shows(viewOf(fields, 'ai', 'admin', maxCharacters), secret)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a secret', SECRETS],
    ['something of this host', HOST],
  ])('is in no audit view, and in no other view of an ordinary reader: %s', (_, secrets) => {
    fc.assert(
      fc.property(planted(secrets), ({ secret, fields }) => {
        expect(shows(viewOf(fields, 'audit', 'admin'), secret)).toBe(false);
        for (const view of ['canonical', 'workflow', 'bridge'] as const)
          expect(shows(viewOf(fields, view, 'human'), secret)).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it('is not in the URL that ends with the name of its file', () => {
    for (const secret of SECRETS) {
      const fileName = fileNameOf(`a ${secret} b`);
      const url = `https://vcp.example/v1/resources/x/${encodeURIComponent(fileName)}`;
      for (const view of ['ai', 'audit', 'canonical', 'workflow', 'bridge'] as const) {
        const shown = viewOf({ resources: [descriptor({ fileName, url })] }, view, 'human');
        if (!shows(viewOf({ data: fileName }, view, 'human'), secret)) expect(shows(shown, secret)).toBe(false);
      }
    }
  });

  it('is what an operator reads in the stored result', () => {
    fc.assert(
      fc.property(planted(SECRETS), ({ secret, fields }) => {
        fc.pre(shows(fields, secret)); // names are short, and may have lost it
        expect(shows(viewOf(fields, 'canonical', 'operator'), secret)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
