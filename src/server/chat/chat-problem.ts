import { Interrupted, ServerStopping } from '../../chat/interrupted.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import type { ProblemFacts } from '../problem.ts';
import { upstreamProblem } from './openai-error.ts';
import { SHUTTING_DOWN } from './refusals.ts';

const ENDED_WITH_SERVER: ProblemFacts = {
  ...SHUTTING_DOWN,
  detail: 'the server is shutting down and has ended this conversation; calls that it had made are on record',
};

const INTERRUPTED: ProblemFacts = {
  status: 409,
  code: 'INTERRUPTED',
  detail: 'the conversation was interrupted before anything was said',
};

/** Nobody is there to read it. */
export const CLIENT_LEFT: ProblemFacts = {
  status: 400,
  code: 'CLIENT_LEFT',
  detail: 'the client left before its answer was there',
};

/** Why a conversation ended without an answer; null for a fault of this server. */
export const chatProblem = (error: unknown, signal: AbortSignal): ProblemFacts | null => {
  if (signal.reason instanceof Interrupted) return INTERRUPTED;
  if (signal.reason instanceof ServerStopping) return ENDED_WITH_SERVER;
  if (signal.aborted) return CLIENT_LEFT;
  return error instanceof UpstreamError ? upstreamProblem(error) : null;
};
