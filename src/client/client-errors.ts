import type { Problem } from '../protocol/problem.ts';

/** The server answered with a problem (RFC 9457). */
export class VcpProblem extends Error {
  override readonly name = 'VcpProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server could not be reached, or answered with something that is not ours. */
export class VcpUnreachable extends Error {
  override readonly name = 'VcpUnreachable';
}
