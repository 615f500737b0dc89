// An asynchronous tool of tests, and a payload that ends its tasks.
import type { TransportCall } from '../../src/ports/transport.ts';
import { manifest } from './sample-values.ts';

/** A manifest of the sample tool whose only command is asynchronous. */
export const asyncManifest = (plugin: Record<string, unknown> = {}, command: Record<string, unknown> = {}) =>
  manifest(
    { pluginType: 'asynchronous', ...plugin },
    {
      async: true,
      outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      ...command,
    },
  );

/** The first frame of an asynchronous tool. */
export const acceptedAnswer = ({ task }: TransportCall, more: Record<string, unknown> = {}) => ({
  status: 'accepted',
  data: null,
  task: { id: task?.id, state: 'queued', ...more },
});

export const finalPayload = (text = 'done', more: Record<string, unknown> = {}) => ({
  status: 'success',
  data: { text },
  ...more,
});
