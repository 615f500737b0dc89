import type { Limits } from '../lib/limits.ts';
import { messageOf } from '../lib/message-of.ts';
import { redactResult } from '../policy/apply-policy.ts';
import type { CallStore, FinishedCall, KeySettlement } from '../ports/call-store.ts';
import { boundLogger, type Logger } from '../ports/logger.ts';
import { presentAudit } from '../present/audit.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { JsonObject } from '../protocol/json.ts';
import { buildCallRecord } from '../record/build-call-record.ts';

export type RecordDependencies = {
  readonly calls: CallStore;
  /** The logger of this call: it knows the ids that the call had before its result. */
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'auditDataCharacters'>;
  readonly knownPaths: readonly string[];
};

/** What a call with this result leaves behind: the result, and its audit record. */
export const finishedCallOf = (
  result: CanonicalToolResult,
  owner: string,
  { limits, knownPaths }: Pick<RecordDependencies, 'limits' | 'knownPaths'>,
): FinishedCall => {
  const audit = presentAudit(redactResult(result, knownPaths, { scanned: true }), {
    dataCharacters: limits.auditDataCharacters,
  });
  return { owner, result, record: buildCallRecord(result, audit as unknown as JsonObject, owner) };
};

/**
 * Keeps the result and its audit record before the caller hears of them. The tool has acted already: when the store
 * fails, the caller still gets the result, with a warning that it cannot be read again. `save` tells whether the call was
 * kept; null when it was not, because its task has another result already.
 */
export const recordCall = async (
  result: CanonicalToolResult,
  owner: string,
  dependencies: RecordDependencies,
  idempotency?: KeySettlement,
  save: (call: FinishedCall) => Promise<boolean> = async (call) => {
    await dependencies.calls.saveCall(call);
    return true;
  },
): Promise<CanonicalToolResult | null> => {
  const { logger } = dependencies;
  const log = boundLogger(logger, {
    resultId: result.id,
    recordId: result.execution.recordId,
    ...(result.task === null ? {} : { taskId: result.task.id }),
  });
  try {
    if (!(await save({ ...finishedCallOf(result, owner, dependencies), idempotency }))) return null;
    log.info('call.finished', {
      status: result.status,
      errorCode: result.error?.code,
      ...warningsOf(result),
      durationMs: result.execution.durationMs,
    });
    return result;
  } catch (error) {
    log.error('call.not-stored', { fault: messageOf(error) });
    return withoutRecord(result);
  }
};

/** A result that could not be kept. */
const withoutRecord = (result: CanonicalToolResult): CanonicalToolResult =>
  Object.freeze({
    ...result,
    execution: Object.freeze({ ...result.execution, recordId: null }),
    warnings: Object.freeze([
      ...result.warnings,
      Object.freeze({
        code: 'RESULT_NOT_STORED',
        message: 'the result could not be stored and cannot be read again',
        target: null,
        details: null,
      }),
    ]),
  }) as unknown as CanonicalToolResult;

/** Warning codes that one line names. */
const NAMED_WARNINGS = 8;

const warningsOf = ({ warnings }: CanonicalToolResult): { warnings?: string } => {
  if (warnings.length === 0) return {};
  return { warnings: [...new Set(warnings.map(({ code }) => code))].slice(0, NAMED_WARNINGS).join(',') };
};
