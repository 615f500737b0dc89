import type { KeyRefusal } from '../runtime/keyed-calls.ts';
import type { ProblemFacts } from './problem.ts';

/** Why a call under an `Idempotency-Key` has no result, as the client hears of it. */
export const KEY_REFUSAL_PROBLEMS: Readonly<Record<KeyRefusal, ProblemFacts>> = {
  'key-reused': {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    detail: 'this Idempotency-Key was used for a call with another tool, other arguments or options; take a new key',
  },
  'key-in-use': {
    status: 409,
    code: 'IDEMPOTENCY_KEY_IN_USE',
    detail: 'the call of this Idempotency-Key still runs; repeat it later with the same key to get its result',
    headers: { 'retry-after': '2' },
  },
  'outcome-unknown': {
    status: 409,
    code: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
    detail:
      'the call of this Idempotency-Key was begun and its result is not there: its server ended in the middle of it, or the result could not be stored; find out whether it did its work, and call with a new key if it has to be done again',
  },
  'store-unavailable': {
    status: 503,
    code: 'IDEMPOTENCY_UNAVAILABLE',
    detail:
      'whether the call of this Idempotency-Key was made cannot be told now, so this request ran nothing; repeat it later',
    headers: { 'retry-after': '5' },
  },
  'result-unavailable': {
    status: 503,
    code: 'IDEMPOTENCY_RESULT_UNAVAILABLE',
    detail:
      'the call of this Idempotency-Key was made, and its result cannot be read now; repeat it later with this key',
    headers: { 'retry-after': '5' },
  },
};
