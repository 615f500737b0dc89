import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CallStopped,
  TransportError,
  type PluginLocation,
  type TransportAdapter,
} from '../../../src/ports/transport.ts';
import type { ProgressReport } from '../../../src/protocol/stdio-frame.ts';
import { transportCall, type CallOptions } from '../../support/transport-call.ts';

/** What a plugin of each transport has to be able to do for the suite. */
export const BEHAVIOURS = [
  'echo',
  'error',
  'crash',
  'progress',
  'hang',
  'hang-heeding',
  'nothing',
  'proto',
  'deep',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

export type OpenTransport = {
  readonly transport: TransportAdapter;
  pluginFor(behaviour: Behaviour): PluginLocation;
  close(): Promise<void>;
};

/** What every transport does, whatever is behind it. */
export const describeTransport = (name: string, open: () => Promise<OpenTransport>): void => {
  describe(`transport: ${name}`, () => {
    let opened: OpenTransport;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const execute = async (behaviour: Behaviour, options: CallOptions = {}) => {
      const call = transportCall(opened.pluginFor(behaviour), options);
      try {
        return await opened.transport.execute(call);
      } finally {
        call.done();
      }
    };
    const failure = async (behaviour: Behaviour, options: CallOptions = {}): Promise<TransportError | CallStopped> => {
      const error: unknown = await execute(behaviour, options).then(
        (reply) => ({ unexpected: reply }),
        (reason: unknown) => reason,
      );
      if (error instanceof TransportError || error instanceof CallStopped) return error;
      throw new Error('neither a TransportError nor CallStopped', { cause: error });
    };

    it('carries arguments there and the payload back, unjudged', async () => {
      const args = { text: `𝄞 漢 ${randomUUID()}`, list: [1, null, { deep: true }] };
      const reply = await execute('echo', { args });
      expect(reply).toEqual({ payload: { status: 'success', data: args }, warnings: [] });
    });

    it('does not mind what the payload says', async () => {
      const reply = await execute('error');
      expect(reply.payload).toEqual({
        status: 'error',
        data: null,
        error: { code: 'TEST.REPORTED', message: 'as reported', details: { kept: true } },
      });
    });

    it('carries many calls at once without mixing them up', async () => {
      const replies = await Promise.all(Array.from({ length: 12 }, (_, index) => execute('echo', { args: { index } })));
      expect(replies.map(({ payload }) => (payload as { data: { index: number } }).data.index)).toEqual(
        Array.from({ length: 12 }, (_, index) => index),
      );
    });

    it('passes progress on before it settles', async () => {
      const progress: ProgressReport[] = [];
      await execute('progress', { progress });
      expect(progress).toEqual([
        { stage: 'half', progress: 0.5, message: null },
        { stage: null, progress: null, message: 'almost' },
      ]);
    });

    it('raises a typed error for a plugin that fails, and serves the next call', async () => {
      expect(await failure('crash')).toBeInstanceOf(TransportError);
      expect((await execute('echo')).payload).toMatchObject({ status: 'success' });
    });

    it.each([
      ['nothing', /./],
      ['proto', /__proto__/],
      ['deep', /deeper/],
    ] as const)('raises INVALID_TOOL_RESULT for what cannot be a payload: %s', async (behaviour, message) => {
      const error = await failure(behaviour);
      expect(error).toMatchObject({ name: 'TransportError', code: 'INVALID_TOOL_RESULT' });
      expect(error.message).toMatch(message);
    });

    it.each(['hang', 'hang-heeding'] as const)('stops at the deadline: %s', async (behaviour) => {
      const began = performance.now();
      expect(await failure(behaviour, { timeoutMs: 300 })).toMatchObject({ name: 'CallStopped', reason: 'timeout' });
      expect(performance.now() - began).toBeLessThan(300 + 3_000);
    });

    it.each(['hang', 'hang-heeding'] as const)('stops when it is cancelled: %s', async (behaviour) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('any reason')), 150);
      expect(await failure(behaviour, { signal: controller.signal })).toMatchObject({
        name: 'CallStopped',
        reason: 'cancelled',
      });
    });

    it('does not begin a call that was cancelled before', async () => {
      expect(await failure('echo', { signal: AbortSignal.abort() })).toMatchObject({
        name: 'CallStopped',
        reason: 'cancelled',
      });
    });
  });
};
