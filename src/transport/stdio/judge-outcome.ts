import type { JsonValue } from '../../protocol/json.ts';
import { PluginResultPayload } from '../../protocol/plugin-result-payload.ts';
import type { Warning } from '../../protocol/warning.ts';
import { TransportError, type TransportReply } from '../../ports/transport.ts';
import type { FrameFault } from './frame-reader.ts';

/** How a process ended. Exactly one of `code` and `signal` is set; `lingered`: it was ended after its frame. */
export type ProcessExit = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lingered: boolean;
};

/** All that one process a call gives to judge by. `terminalPayloads` holds at most two: a second one decides. */
export type StdioOutcome = {
  readonly terminalPayloads: readonly unknown[];
  readonly fault: FrameFault | null;
  readonly exit: ProcessExit;
  readonly stderrTail: string;
};

/**
 * The verdicts of §11.3.
 *
 * | exit | frames | verdict |
 * | --- | --- | --- |
 * | any | one over the size limit | INVALID_TOOL_RESULT |
 * | any | several terminal ones | INVALID_TOOL_RESULT |
 * | 0 | one, and nothing else | its payload |
 * | 0 | none, or other output | INVALID_TOOL_RESULT |
 * | not 0 | a legal `error` (or `cancelled`) | its payload, warning NONZERO_EXIT |
 * | not 0 | anything else | TRANSPORT_FAILURE |
 */
export const judgeOutcome = (outcome: StdioOutcome): TransportReply => {
  const { terminalPayloads, fault, exit } = outcome;
  const failedExit = !exit.lingered && exit.code !== 0;

  if (fault?.kind === 'too-large') throw protocolError(fault.message, outcome);
  if (terminalPayloads.length > 1) {
    throw protocolError('the process wrote more than one terminal frame; a call has exactly one', outcome);
  }
  const legal = terminalPayloads.length === 1 && fault === null;
  if (failedExit) {
    if (legal && isLegalFailure(terminalPayloads[0])) {
      return { payload: terminalPayloads[0], warnings: [nonzeroExit(exit)] };
    }
    throw new TransportError(
      'TRANSPORT_FAILURE',
      `the process ended with ${describeExit(exit)}${legal ? ' after it had reported a result; a process that has done its work ends with exit code 0' : ' without a valid result frame'}`,
      detailsOf(outcome),
    );
  }
  if (fault !== null) throw protocolError(fault.message, outcome);
  if (!legal) throw protocolError('the process ended without a result frame on stdout', outcome);
  return { payload: terminalPayloads[0], warnings: exit.lingered ? [lingered()] : [] };
};

const isLegalFailure = (payload: unknown): boolean => {
  const parsed = PluginResultPayload.safeParse(payload);
  return parsed.success && (parsed.data.status === 'error' || parsed.data.status === 'cancelled');
};

const protocolError = (message: string, outcome: StdioOutcome): TransportError =>
  new TransportError('INVALID_TOOL_RESULT', message, detailsOf(outcome));

const detailsOf = ({ fault, exit, stderrTail }: StdioOutcome): JsonValue => ({
  exitCode: exit.code,
  signal: exit.signal,
  ...(fault === null ? {} : { firstOffendingOutput: fault.excerpt }),
  ...(stderrTail === '' ? {} : { stderr: stderrTail }),
});

export const describeExit = (exit: ProcessExit): string =>
  exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;

const nonzeroExit = (exit: ProcessExit): Warning => ({
  code: 'NONZERO_EXIT',
  message: `the process reported its error and ended with ${describeExit(exit)}; a reported error ends with exit code 0`,
  target: null,
  details: { exitCode: exit.code, signal: exit.signal },
});

const lingered = (): Warning => ({
  code: 'PROCESS_LINGERED',
  message: 'the process stayed after its result frame and was ended; close what keeps it alive, or exit',
  target: null,
  details: null,
});
