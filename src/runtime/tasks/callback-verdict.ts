import type { Issue } from '../../lib/issue.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { ProgressReport } from '../../protocol/stdio-frame.ts';
import type { CallbackReceipt } from '../../protocol/task-listing.ts';
import type { TaskState } from '../../protocol/task.ts';

/** What a callback says, once its envelope is known to be right: the end of the task, or its progress. */
export type CallbackContent =
  | { readonly kind: 'result'; readonly result: JsonValue }
  | { readonly kind: 'progress'; readonly progress: ProgressReport };

export type CallbackVerdict =
  | { readonly verdict: 'taken'; readonly receipt: CallbackReceipt }
  | { readonly verdict: 'id-reused' }
  | { readonly verdict: 'ended'; readonly state: TaskState }
  /** The task goes on; pointers are into the body of the callback. */
  | { readonly verdict: 'invalid'; readonly message: string; readonly issues: readonly Issue[] };
