import { describeFault } from '../../../src/lib/describe-fault.ts';
import { VcpProblem, VcpUnreachable } from '../../../src/client/vcp-client.ts';

/** 130 is what shells give a program that Ctrl-C ended: 128 and the number of the signal. */
export const EXIT = { success: 0, toolError: 1, usage: 2, transport: 3, interrupted: 130 } as const;

/** A fault of the command line itself, told to the user as it is. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the command looked at is not as it should be: told as it is, and no wrong usage. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** The user pressed Ctrl-C. The message says what that means for what was going on. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export const exitCodeOf = (error: unknown): number => {
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (isTimeout(error)) return EXIT.transport;
  if (error instanceof VcpUnreachable || (error instanceof VcpProblem && isPassing(error.problem.status)))
    return EXIT.transport;
  if (error instanceof UsageError || error instanceof VcpProblem) return EXIT.usage;
  return EXIT.toolError;
};

/** Whether the same request may succeed later. */
const isPassing = (status: number): boolean => status >= 500 || status === 429;

/** What to tell the user: a sentence for what is expected, the stack for what is a bug. */
export const explain = (error: unknown): string => {
  if (error instanceof VcpProblem) {
    const { detail, errors = [] } = error.problem;
    // Most details name the places themselves.
    const untold = errors.filter((place) => !(detail.includes(place.pointer) && detail.includes(place.detail)));
    return detail + untold.map((place) => `\n  ${place.pointer}: ${place.detail}`).join('');
  }
  if (error instanceof UsageError || error instanceof Fault || error instanceof Interrupted) return error.message;
  if (error instanceof VcpUnreachable) return error.message;
  if (isTimeout(error)) return 'the server did not answer in time';
  // What the file system refuses is told by its own words, which name the file.
  if (error instanceof Error && 'syscall' in error) return error.message;
  return describeFault(error);
};

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
