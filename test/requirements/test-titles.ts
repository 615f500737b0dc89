import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listFiles, root } from '../../scripts/lib/repository.ts';

/** Functions whose first argument is a title, and whose chains (`it.each(…)('…')`) end in one. */
const TITLED = new Set(['it', 'test', 'describe', 'suite']);

/** All files in which tests are defined: of vitest, the suites and scenarios that they call, and the plugins' own. */
export const testFiles = (): string[] =>
  [
    ...listFiles('test', /\.ts$/),
    ...listFiles('plugins-stdio', /\.test\.mjs$/),
    ...listFiles('plugins-direct', /\.test\.mjs$/),
    ...listFiles('plugins-stdio', /^test_\w+\.py$/),
  ].filter((file) => !file.startsWith('test/fixtures/') && file !== 'test/requirements/requirements.test.ts');

/**
 * The titles of tests and groups of a file as they are written, alone and below their groups (`group > title`); `${…}`
 * of a template title ends it. What is skipped proves nothing and is not there.
 */
export const titlesOf = (file: string): string[] => {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.py') ? pythonTitles(text) : scriptTitles(file, text);
};

const pythonTitles = (text: string): string[] =>
  [...text.matchAll(/^\s*def (test_\w+)\(/gm)].map((match) => match[1] as string);

const scriptTitles = (file: string, text: string): string[] => {
  const titles: string[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    if (!ts.isCallExpression(node) || !TITLED.has(rootName(node.expression)) || isTable(node.expression)) {
      ts.forEachChild(node, (child) => visit(child, groups));
      return;
    }
    if (/\.(?:skip|todo)\b/.test(node.expression.getText())) return;
    const title = literalText(node.arguments[0]);
    const here = title === null ? groups : [...groups, title];
    if (title !== null) titles.push(title, ...(groups.length > 0 ? [here.join(' > ')] : []));
    ts.forEachChild(node, (child) => visit(child, here));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), []);
  return titles;
};

/** `it.each(rows)` itself has no title; the call of what it gives back has. */
const isTable = (callee: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(callee) && /^(?:each|for|skipIf|runIf)$/.test(callee.name.text);

/** `it` of `it.each(rows)`, `it.skipIf(x).each` and the like. */
const rootName = (callee: ts.Expression): string => {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return rootName(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return rootName(callee.tag);
  return '';
};

const literalText = (argument: ts.Expression | undefined): string | null => {
  if (argument === undefined) return null;
  if (ts.isStringLiteralLike(argument)) return argument.text;
  return ts.isTemplateExpression(argument) && argument.head.text !== '' ? argument.head.text : null;
};
