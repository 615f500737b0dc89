import { z } from 'zod';
import { InvocationId } from './ids.ts';
import { PluginInvocation } from './invocation.ts';
import { Progress } from './task.ts';
import { PROTOCOL_VERSION } from './version.ts';

const version = z.literal(PROTOCOL_VERSION);

/** In worker mode a frame names its call; with one process a call it need not. */
const invocationId = InvocationId.optional();

/** What the host writes to a plugin's stdin, one line. */
export const ToolInvocationFrame = z
  .strictObject({ vcp: z.literal('tool-invocation'), version, invocationId, payload: PluginInvocation })
  .meta({ id: 'tool-invocation-frame', title: 'ToolInvocationFrame', description: 'Host to plugin: run this call.' });
export type ToolInvocationFrame = z.infer<typeof ToolInvocationFrame>;

/** Worker mode: stop one call. */
export const CancelFrame = z
  .strictObject({ vcp: z.literal('cancel'), version, invocationId: InvocationId })
  .meta({ id: 'cancel-frame', title: 'CancelFrame', description: 'Host to plugin, worker mode: stop this call.' });
export type CancelFrame = z.infer<typeof CancelFrame>;

/** How far a call has come (§10.6). */
export const ProgressReport = z.strictObject({
  stage: z.string().max(128).nullable().default(null),
  progress: Progress.nullable().default(null),
  message: z.string().max(2_000).nullable().default(null),
});
export type ProgressReport = z.infer<typeof ProgressReport>;

export const ProgressFrame = z
  .strictObject({ vcp: z.literal('progress'), version, invocationId, payload: ProgressReport })
  .meta({ id: 'progress-frame', title: 'ProgressFrame', description: 'Plugin to host: how far the call has come.' });
export type ProgressFrame = z.infer<typeof ProgressFrame>;

/** The terminal frame (§11.2). Its payload is validated as a PluginResultPayload by the stage that owns that. */
export const ToolResultFrame = z
  .strictObject({
    vcp: z.literal('tool-result'),
    version,
    invocationId,
    payload: z.unknown().refine((payload) => payload !== undefined, { error: 'is required' }),
  })
  .meta({ id: 'tool-result-frame', title: 'ToolResultFrame', description: 'Plugin to host: the result (§11.2).' });
export type ToolResultFrame = z.infer<typeof ToolResultFrame>;

/** Everything that stdout may carry (§11.1). */
export const StdoutFrame = z.discriminatedUnion('vcp', [ToolResultFrame, ProgressFrame]);
export type StdoutFrame = z.infer<typeof StdoutFrame>;
