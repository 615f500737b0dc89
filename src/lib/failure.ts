import type { CoreErrorCode, ErrorCategory } from '../protocol/error.ts';
import type { JsonValue } from '../protocol/json.ts';
import { excerpt } from './excerpt.ts';
import type { Issue } from './issue.ts';
import { describeIssues } from './issue.ts';
import { pointerToTarget, shortPointer } from './json-pointer.ts';

/** An expected failure of the core, as a value. Its category follows from its code unless it is given. */
export type Failure = {
  readonly code: CoreErrorCode;
  readonly message: string;
  readonly category?: ErrorCategory;
  readonly target?: string | null;
  readonly details?: JsonValue;
  readonly retryable?: boolean;
};

/** A failure that is a list of issues: the first one is the target, all (up to `most`) stand in `details.issues`. */
export const failureOfIssues = (
  code: CoreErrorCode,
  summary: string,
  issues: readonly Issue[],
  most: number,
  extra: { readonly category?: ErrorCategory; readonly details?: { readonly [key: string]: JsonValue } } = {},
): Failure => {
  const shown = issues
    .slice(0, most)
    .map(({ pointer, message }) => ({ pointer: shortPointer(pointer), message: shorten(message) }));
  const [first] = shown;
  return {
    code,
    message: `${summary}: ${describeIssues(issues)}`.slice(0, 4_000).toWellFormed(),
    target: first === undefined || first.pointer === '' ? null : shorten(pointerToTarget(first.pointer)),
    details: {
      pointer: first?.pointer ?? '',
      issues: shown,
      issueCount: issues.length,
      ...extra.details,
    },
    ...(extra.category === undefined ? {} : { category: extra.category }),
  };
};

/** Characters of a message or target that are kept: they quote what a plugin or caller chose. */
const MOST_CHARACTERS = 1_000;

const shorten = (text: string): string => excerpt(text, MOST_CHARACTERS);
