import { failureOfIssues, type Failure } from '../lib/failure.ts';
import { issuesOf, type Issue } from '../lib/issue.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { PluginType } from '../protocol/manifest.ts';
import { CORE_ONLY_FIELDS, PluginResultPayload } from '../protocol/plugin-result-payload.ts';

export type ValidatedPayload =
  | { readonly ok: true; readonly payload: PluginResultPayload }
  | { readonly ok: false; readonly failure: Failure };

/** What decides which statuses a first answer may have. */
export type PayloadExpectation = {
  readonly pluginType: PluginType;
  readonly async: boolean;
  readonly reportedIssues: number;
  /** The task that the core has made for the call; a plugin speaks of no other. */
  readonly taskId?: string | null;
  /** Whether this is what ends a task, and not the first answer to a call. */
  readonly endsTask?: boolean;
};

/** Holds a plugin's answer against the protocol (§4.3, §5.1, §5.5). `outputSchema` is another stage's concern. */
export const validatePayload = (answer: unknown, expected: PayloadExpectation): ValidatedPayload => {
  const forged = forgedFields(answer);
  if (forged.length > 0) return refuse(answer, forged, expected);
  const checked = PluginResultPayload.safeParse(answer);
  if (!checked.success) return refuse(answer, issuesOf(checked.error), expected);
  const misplaced = misplacedStatus(checked.data, expected) ?? foreignTask(checked.data, expected);
  if (misplaced !== null) return refuse(answer, [misplaced], expected);
  return { ok: true, payload: checked.data };
};

const forgedFields = (answer: unknown): Issue[] => {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return [];
  return CORE_ONLY_FIELDS.filter((field) => Object.hasOwn(answer, field)).map((field) => ({
    pointer: `/${field}`,
    message: `"${field}" is written by the core alone; remove it from the result (§5.1)`,
  }));
};

const foreignTask = ({ task }: PluginResultPayload, { taskId = null }: PayloadExpectation): Issue | null =>
  task === null || taskId === null || task.id === taskId
    ? null
    : { pointer: '/task/id', message: `must be the id that the call was given as context.task.id, ${taskId} (§10.3)` };

const misplacedStatus = (payload: PluginResultPayload, expected: PayloadExpectation): Issue | null => {
  if (expected.endsTask === true) {
    return payload.status === 'accepted'
      ? { pointer: '/status', message: '"accepted" ends no task; send progress, or the result (§10.3)' }
      : null;
  }
  const isAsynchronous = expected.pluginType === 'asynchronous';
  if (payload.status === 'accepted' && !expected.async && !isAsynchronous) {
    return { pointer: '/status', message: '"accepted" needs a command that the manifest declares "async": true' };
  }
  if (isAsynchronous && payload.status !== 'accepted' && payload.status !== 'error') {
    return {
      pointer: '/status',
      message: 'the first answer of an asynchronous plugin is "accepted" or "error" (§10.3)',
    };
  }
  return null;
};

const refuse = (answer: unknown, issues: readonly Issue[], expected: PayloadExpectation): ValidatedPayload => ({
  ok: false,
  failure: failureOfIssues(
    'INVALID_TOOL_RESULT',
    'the plugin broke the result protocol',
    issues,
    expected.reportedIssues,
    {
      details: pluginErrorOf(answer),
    },
  ),
});

/** An error that the plugin tried to report is not lost to a fault in its form. */
const pluginErrorOf = (answer: unknown): { [key: string]: JsonValue } => {
  const error = (answer as { error?: unknown } | null)?.error;
  if (typeof error !== 'object' || error === null) return {};
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' && typeof message !== 'string') return {};
  return {
    pluginError: {
      code: typeof code === 'string' ? code.slice(0, 128).toWellFormed() : null,
      message: typeof message === 'string' ? message.slice(0, 1_000).toWellFormed() : null,
    },
  };
};
