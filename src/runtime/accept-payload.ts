import type { CallOutcome } from '../canonical/build-canonical-result.ts';
import { toolErrorOfPlugin } from '../canonical/tool-error.ts';
import type { Failure } from '../lib/failure.ts';
import type { Limits } from '../lib/limits.ts';
import type { TransportReply } from '../ports/transport.ts';
import type { PluginError } from '../protocol/error.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { Warning } from '../protocol/warning.ts';
import type { CommandDefinition } from '../registry/plugin-definition.ts';
import { publishResources } from '../resources/publish-resources.ts';
import type { ResourceDependencies, ResourceScope } from '../resources/resource-context.ts';
import { validateOutput } from '../validate/validate-output.ts';
import { validatePayload, type PayloadExpectation } from '../validate/validate-payload.ts';
import type { CallObservation } from './observe-call.ts';

/** A payload on its way in, and what it belongs to. */
export type IncomingPayload = {
  readonly reply: Pick<TransportReply, 'payload' | 'warnings'>;
  readonly command: CommandDefinition;
  readonly expected: Omit<PayloadExpectation, 'reportedIssues'>;
  readonly scope: ResourceScope;
  readonly signal: AbortSignal;
};

export type AcceptedPayload =
  | { readonly ok: true; readonly outcome: CallOutcome }
  | { readonly ok: false; readonly failure: Failure };

/**
 * What every payload of a plugin passes, whichever way it came: the protocol, its resources published, the command's
 * outputSchema.
 */
export const acceptPayload = async (
  { reply, command, expected, scope, signal }: IncomingPayload,
  { resources, limits }: { readonly resources: ResourceDependencies; readonly limits: Pick<Limits, 'reportedIssues'> },
  observation: Pick<CallObservation, 'stage' | 'tookBase64'>,
): Promise<AcceptedPayload> => {
  const { reportedIssues } = limits;
  const validated = validatePayload(reply.payload, { ...expected, reportedIssues });
  if (!validated.ok) return validated;
  const { payload } = validated;
  const publication = await observation.stage('resources', () =>
    publishResources(payload, command.command, { ...scope, signal }, resources),
  );
  if (!publication.ok) return publication;
  const { published } = publication;
  observation.tookBase64(published.embedded);
  const misfit = validateOutput(command, payload.status, published.data, published.inline, reportedIssues);
  if (misfit !== null) return { ok: false, failure: misfit };
  const reported = errorOf(published.error, payload.status, command);
  return {
    ok: true,
    outcome: {
      status: payload.status,
      data: published.data,
      resources: published.resources,
      warnings: [...payload.warnings, ...published.warnings, ...reply.warnings, ...reported.warnings],
      error: reported.error,
      task: payload.task,
      presentation: published.presentation,
      aiAdvice: published.aiAdvice,
      extensions: published.extensions,
    },
  };
};

const errorOf = (error: PluginError | null, status: PluginResultPayload['status'], command: CommandDefinition) =>
  error === null
    ? { error: null, warnings: [] as readonly Warning[] }
    : toolErrorOfPlugin(error, {
        cancelled: status === 'cancelled',
        declaredErrorCodes: command.declaredErrorCodes,
      });
