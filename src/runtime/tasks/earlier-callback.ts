import type { TakenCallback } from '../../ports/task-store.ts';
import type { CallbackReceipt } from '../../protocol/task-listing.ts';
import type { CallbackContent, CallbackVerdict } from './callback-verdict.ts';

type Taken = Pick<TakenCallback, 'digest' | 'answer'>;

/**
 * What the callback of the same id, or the one that ended the task, means for a callback: the same again is answered alike,
 * and the end of a task under any id. Null where neither says anything.
 */
export const verdictOfEarlier = (
  { sameId, last }: { readonly sameId: Taken | null; readonly last: Taken | null },
  digest: string,
  kind: CallbackContent['kind'],
): CallbackVerdict | null => {
  if (sameId !== null) {
    return sameId.digest === digest
      ? { verdict: 'taken', receipt: sameId.answer as CallbackReceipt }
      : { verdict: 'id-reused' };
  }
  return kind === 'result' && last?.digest === digest
    ? { verdict: 'taken', receipt: last.answer as CallbackReceipt }
    : null;
};
