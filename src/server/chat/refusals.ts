import type { ProblemFacts } from '../problem.ts';

export const SHUTTING_DOWN: ProblemFacts = {
  status: 503,
  code: 'SHUTTING_DOWN',
  detail: 'the server is shutting down and takes no new conversations',
  headers: { 'retry-after': '5', connection: 'close' },
};

export const NO_UPSTREAM: ProblemFacts = {
  status: 503,
  code: 'NO_UPSTREAM',
  detail: 'this server has no model to ask: its operator has to set VCP_UPSTREAM_URL',
};
