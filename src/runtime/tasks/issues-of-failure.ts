import type { Failure } from '../../lib/failure.ts';
import type { Issue } from '../../lib/issue.ts';

/** The issues that a failure lists, or the one place that it names. */
export const issuesOfFailure = ({ details, message }: Failure): readonly Issue[] => {
  const { issues, pointer } = (details ?? {}) as { readonly issues?: readonly Issue[]; readonly pointer?: string };
  if (issues !== undefined) return issues.map(asJson);
  return pointer === undefined ? [] : [{ pointer, message }];
};

const asJson = ({ pointer, message }: Issue) => ({ pointer, message });
