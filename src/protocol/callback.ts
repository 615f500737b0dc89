import { z } from 'zod';
import { TaskId } from './ids.ts';
import { PluginResultPayload } from './plugin-result-payload.ts';
import { ProgressReport } from './stdio-frame.ts';
import { CALLBACK_PROTOCOL_NAME, PROTOCOL_VERSION } from './version.ts';

/** Which protocol a callback speaks. */
export const CallbackProtocol = z.strictObject({
  name: z.literal(CALLBACK_PROTOCOL_NAME),
  version: z.literal(PROTOCOL_VERSION),
});

/** `POST /plugin-callback/:pluginName/:taskId` (§10.3): the end of a task, or its progress, never both. */
export const Callback = z
  .union([
    z.strictObject({ protocol: CallbackProtocol, taskId: TaskId, result: PluginResultPayload }),
    z.strictObject({ protocol: CallbackProtocol, taskId: TaskId, progress: ProgressReport }),
  ])
  .meta({ id: 'callback', title: 'Callback', description: 'What an asynchronous plugin posts back (§10.3).' });
export type Callback = z.infer<typeof Callback>;
