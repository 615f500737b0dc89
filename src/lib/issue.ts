import type { z } from 'zod';
import { toJsonPointer } from './json-pointer.ts';

/** One thing wrong with a document: where (a JSON Pointer) and what. `code` is set where a caller must tell kinds apart. */
export type Issue = { readonly pointer: string; readonly message: string; readonly code?: string };

/** zod's findings in our form: unknown keys named one by one, the failing branch of a union instead of all branches. */
export const issuesOf = (
  error: { readonly issues: readonly z.core.$ZodIssue[] },
  prefix: readonly PropertyKey[] = [],
): Issue[] => error.issues.flatMap((issue) => flatten(issue, prefix));

const flatten = (issue: z.core.$ZodIssue, prefix: readonly PropertyKey[]): Issue[] => {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        pointer: toJsonPointer([...path, key]),
        message: `unknown field "${key}"`,
        code: 'unknown-field',
      }));
    case 'invalid_key':
      return [{ pointer: toJsonPointer(path), message: issue.issues[0]?.message ?? issue.message }];
    case 'invalid_union': {
      const nearest = [...issue.errors].toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
      if (nearest === undefined) return [{ pointer: toJsonPointer(path), message: choiceOf(issue) }];
      return nearest.flatMap((inner) => flatten(inner, path));
    }
    default:
      return [{ pointer: toJsonPointer(path), message: lowerFirst(issue.message) }];
  }
};

/** The branch that got furthest into the value is the one that its author meant. */
const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length));

/** A discriminator that is none of the known ones. */
const choiceOf = (issue: z.core.$ZodIssue): string => {
  const { options } = issue as { options?: readonly unknown[] };
  if (options === undefined) return lowerFirst(issue.message);
  return `must be ${options.length > 1 ? 'one of ' : ''}${options.map((option) => JSON.stringify(option)).join(', ')}`;
};

const lowerFirst = (message: string): string => {
  if (message.endsWith('received undefined')) return 'is required';
  return message.replace(/^Invalid input: /, '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
};

/** One line for a log or an error message: the first few issues, the rest counted. */
export const describeIssues = (issues: readonly Issue[], most = 3): string => {
  const shown = issues
    .slice(0, most)
    .map(({ pointer, message }) => `${pointer.slice(0, 500) || '(root)'}: ${message.slice(0, 500)}`);
  const rest = issues.length - shown.length;
  return shown.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
};
