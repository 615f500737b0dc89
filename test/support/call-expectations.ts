import { expect } from 'vitest';
import type { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { processesLeft } from './processes.ts';

/** What a call came to, in the three words that matter. */
export const verdictOf = ({ status, error }: CanonicalToolResult) => ({
  status,
  code: error?.code ?? null,
  category: error?.category ?? null,
});

export const SUCCESS = { status: 'success', code: null, category: null };
export const INVALID_RESULT = { status: 'error', code: 'INVALID_TOOL_RESULT', category: 'protocol' };
export const TRANSPORT_FAILURE = { status: 'error', code: 'TRANSPORT_FAILURE', category: 'transport' };
export const TIMEOUT = { status: 'timeout', code: 'TOOL_TIMEOUT', category: 'timeout' };
export const CANCELLED = { status: 'cancelled', code: 'TOOL_CANCELLED', category: 'cancelled' };

export const detailsOf = (result: CanonicalToolResult) => (result.error?.details ?? {}) as Record<string, unknown>;

export const warningCodes = (result: CanonicalToolResult) => result.warnings.map(({ code }) => code);

/** After whatever happened: no process is left, and a well-behaved tool can be called. */
export const expectUnharmed = async (host: NodeRuntime): Promise<void> => {
  expect(await processesLeft(host.dataDirectory)).toEqual([]);
  const next = await host.call('Echo', { still: 'works' });
  expect(verdictOf(next)).toEqual(SUCCESS);
  expect(next.data).toMatchObject({ command: 'Run', arguments: { still: 'works' } });
  expect(host.faults).toEqual([]);
};

/** The end of a file of such tests: all is well, and whether or not it is, everything is cleaned up. */
export const closeUnharmed = async (host: NodeRuntime): Promise<void> => {
  try {
    await expectUnharmed(host);
  } finally {
    await host.close();
  }
};

export const ECHO = { name: 'Echo', command: 'node', args: ['echo.mjs'] } as const;
