import { expect } from 'vitest';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';

/** A server under test, wherever it runs: a way to send it a request, and the key it knows. Nothing else. */
export type ConformanceTarget = {
  /** Where it is reached, for what `fetch` cannot ask. */
  readonly url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  readonly apiKey: string;
  /** Makes the server look at what is due, where it does not do so by itself. */
  readonly wake?: () => Promise<void>;
};

/** The limits that a runner has to start its server with, so that too much is quickly reached. */
export const CONFORMANCE_LIMITS = { resourceBytes: 64 * 1024 };

export type View = 'canonical' | 'workflow' | 'ai' | 'bridge' | 'audit';

/** What scenarios say to a server. Every result that comes back is held against the protocol's own schema. */
export const createCaller = (target: () => ConformanceTarget) => {
  const request = (path: string, init: RequestInit = {}): Promise<Response> => {
    const { fetch, apiKey } = target();
    return fetch(path, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...init.headers } });
  };

  const getJson = async <Body>(path: string): Promise<Body> => {
    const response = await request(path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as Body;
  };

  const call = async (tool: string, args: Record<string, unknown>): Promise<CanonicalToolResult> => {
    const response = await request('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool, arguments: args }),
    });
    // §9.1: a tool's failure is 200 with a result in it.
    expect(response.status).toBe(200);
    return CanonicalToolResult.parse(await response.json());
  };

  return {
    request,
    apiKey: () => target().apiKey,
    socketUrl: (path: string) => new URL(path, target().url.replace('http', 'ws')).href,
    getJson,
    call,
    wake: async () => await target().wake?.(),
    /** The result of a plugin that answers with this payload. */
    answer: (payload: unknown, command = 'Answer') => call('PayloadEcho', { command, payload }),
    /** A stored result in one of its views. */
    view: <Body>(resultId: string, view: View) => getJson<Body>(`/v1/results/${resultId}?view=${view}`),
    isServed: async (tool: string): Promise<boolean> => {
      const { tools } = await getJson<{ tools: { name: string }[] }>('/v1/tools');
      return tools.some(({ name }) => name === tool);
    },
  };
};

export type Caller = ReturnType<typeof createCaller>;

/** A payload of success with this data. */
export const success = (data: unknown, more: Record<string, unknown> = {}) => ({ status: 'success', data, ...more });
