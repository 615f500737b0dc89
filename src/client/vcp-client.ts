import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { InvocationOptions, ResultView } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Problem } from '../protocol/problem.ts';
import type { ToolDescription, ToolListing } from '../protocol/tool-description.ts';

/** The server answered with a problem (RFC 9457). */
export class VcpProblem extends Error {
  override readonly name = 'VcpProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server could not be reached, or answered with something that is not ours. */
export class VcpUnreachable extends Error {
  override readonly name = 'VcpUnreachable';
}

export type VcpClientOptions = {
  /** Such as `http://127.0.0.1:6005`. */
  readonly endpoint: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
};

/** What a result page asks for: a part of a view, `limit` items or characters from `offset`. */
export type ResultQuery = {
  readonly view?: ResultView;
  readonly pointer?: string;
  readonly offset?: number;
  readonly limit?: number;
};

/** A typed client of the HTTP surface, on anything that has `fetch`. */
export type VcpClient = {
  /** Runs a tool. A tool's failure is a result with its error; only requests that were not calls raise `VcpProblem`. */
  callTool(
    tool: string,
    args: JsonObject,
    options?: InvocationOptions & { readonly signal?: AbortSignal },
  ): Promise<CanonicalToolResult>;
  listTools(options?: { readonly refused?: boolean }): Promise<ToolListing>;
  getTool(name: string): Promise<ToolDescription>;
  getResult(id: string, query?: ResultQuery): Promise<unknown>;
};

export const createVcpClient = ({ endpoint, apiKey, fetch = globalThis.fetch }: VcpClientOptions): VcpClient => {
  const base = endpoint.replace(/\/+$/, '');

  const request = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    let response: Response;
    try {
      response = await fetch(`${base}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new VcpUnreachable(
        `no server answers at ${base}; is it started there? (--url, VCP_URL or VCP_PORT say where)`,
        { cause: error },
      );
    }
    const body: unknown = await response.json().catch(() => null);
    if (response.ok && body !== null) return body;
    if (isProblem(body)) throw new VcpProblem(body);
    throw new VcpUnreachable(
      `${base} answered ${response.status} with something that is not ours; is it a vcp-runtime?`,
    );
  };

  return {
    callTool: async (tool, args, { signal, ...options } = {}) =>
      (await request('/v1/human/tool', {
        method: 'POST',
        body: JSON.stringify({ tool, arguments: args, options }),
        ...(signal === undefined ? {} : { signal }),
      })) as CanonicalToolResult,
    listTools: async ({ refused = false } = {}) =>
      (await request(`/v1/tools${refused ? '?include=refused' : ''}`)) as ToolListing,
    getTool: async (name) => (await request(`/v1/tools/${encodeURIComponent(name)}`)) as ToolDescription,
    getResult: (id, query = {}) => {
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
      );
      return request(`/v1/results/${encodeURIComponent(id)}${search.size > 0 ? `?${search}` : ''}`);
    },
  };
};

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as { code?: unknown }).code === 'string' &&
  typeof (body as { detail?: unknown }).detail === 'string';
