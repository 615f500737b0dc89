import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { readToolRequest } from '../../instruction/read-tool-request.ts';
import { jsonTextOf } from '../../lib/json-text.ts';
import { HumanToolRequest, ResultView, type Actor, type InvocationOptions } from '../../protocol/invocation.ts';
import { callerGiven, withCallerGiven } from '../../policy/caller-given.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ProgressEvent } from '../../protocol/progress-event.ts';
import type { Warning } from '../../protocol/warning.ts';
import type { ExecuteRequest } from '../../runtime/execute-request.ts';
import { project } from '../../runtime/project.ts';
import { showProgress } from '../../runtime/show-progress.ts';
import { maySee, mayUseTool, refusalOfTool } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { KEY_REFUSAL_PROBLEMS } from '../key-refusal-problems.ts';
import { boundedJson, isJson, utf8Body, validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';
import { readPreferences } from '../read-preferences.ts';
import type { RateGate } from '../rate-gate.ts';
import { streamCall, wantsEventStream, type StreamedCall } from '../stream-call.ts';

/** The same for both forms of a call; in a JSON body `options` come before these. */
export const CallQuery = z.strictObject({
  view: ResultView.optional().meta({ description: 'View to answer with.' }),
  timeoutMs: z.coerce
    .number({ error: 'must be a number of milliseconds' })
    .int()
    .min(1)
    .max(86_400_000)
    .optional()
    .meta({ description: 'Milliseconds that the call may take.' }),
});

/**
 * `POST /v1/human/tool` (§9.1): JSON, or one TOOL_REQUEST block as `text/plain`. The answer to a call that reached the
 * runtime is 200 with a result in it, also when the tool failed. Who accepts `text/event-stream` hears of the progress first.
 */
export const humanToolRoutes = (dependencies: CallDependencies) =>
  new Hono<AppEnvironment>().post(
    '/v1/human/tool',
    validated('query', CallQuery),
    utf8Body(),
    async (c, next) => {
      const contentType = c.req.header('content-type');
      if (isJson(contentType)) return await next();
      if (isPlainText(contentType)) return await callFromText(c, c.req.valid('query'), dependencies);
      return problem(c, {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        detail:
          'send a JSON body (content-type: application/json) or one TOOL_REQUEST block (content-type: text/plain)',
      });
    },
    boundedJson(dependencies.limits),
    validated('json', HumanToolRequest),
    (c) => {
      const { tool, arguments: args, options } = c.req.valid('json');
      const merged = { ...c.req.valid('query'), ...options };
      return call(c, { tool, arguments: args, options: merged }, { actor: null, warnings: [] }, dependencies);
    },
  );

type CallDependencies = RouteDependencies & { readonly rates: RateGate };

const isPlainText = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^text\/plain\s*(;|$)/i.test(contentType.trim());

const callFromText = async (
  c: Context<AppEnvironment>,
  options: z.infer<typeof CallQuery>,
  dependencies: CallDependencies,
): Promise<Response> => {
  const { registry } = dependencies;
  const identity = c.get('identity');
  const read = readToolRequest(await c.req.text(), {
    findTool: (name) => {
      const plugin = registry.get(name);
      if (plugin === null || !mayUseTool(identity, name)) return null;
      const commands = [...plugin.commands.values()].map(({ command }) => command);
      return { commandField: plugin.manifest.commandField, commands };
    },
  });
  if (!read.ok) {
    return problem(c, {
      status: 400,
      code: 'INVALID_REQUEST',
      detail: read.diagnostics.map((diagnostic) => diagnostic.message).join('; '),
      issues: read.diagnostics.map(({ field, message }) => ({ pointer: field === null ? '' : `/${field}`, message })),
    });
  }
  const { toolName, arguments: args, maid, repeatedKeys, ignoredKeys, skippedKeys = [] } = read.request;
  const actor: Actor | null = maid === null ? null : { type: 'agent', id: null, name: maid, maid };
  const warnings = [...repeatedKeys.map(repeatedKey), ...ignoredKeys.map(ignoredKey), ...skippedKeys.map(skippedKey)];
  return await call(c, { tool: toolName, arguments: args, options }, { actor, warnings }, dependencies);
};

const repeatedKey = (key: string): Warning => ({
  code: 'REPEATED_KEY',
  message: `the block gives "${key.slice(0, 100)}" more than once; the last value was used`,
  target: null,
  details: null,
});

const ignoredKey = (key: string): Warning => ({
  code: 'CONTROL_IGNORED',
  message: `"${key.slice(0, 100)}" steers a conversation and has no meaning for a single call`,
  target: null,
  details: null,
});

const skippedKey = (key: string): Warning => ({
  code: 'EXAMPLE_SKIPPED',
  message: `"${key.slice(0, 100)}" stands in quotes of an example and was left out; write key:「始」value「末」`,
  target: null,
  details: null,
});

/** A call in either form. */
type Call = {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly options: InvocationOptions & { readonly view?: ResultView | undefined };
};

/** What a text call says beside the call itself. */
type Spoken = { readonly actor: Actor | null; readonly warnings: readonly Warning[] };

const call = async (
  c: Context<AppEnvironment>,
  request: Call,
  { actor, warnings }: Spoken,
  { runtime, connections, knownPaths, limits, logger, isReady, presenting, rates }: CallDependencies,
): Promise<Response> => {
  const identity = c.get('identity');
  if (!isReady()) {
    return problem(c, {
      status: 503,
      code: 'SHUTTING_DOWN',
      detail: 'the server is shutting down and takes no new calls',
      headers: { 'retry-after': '5', connection: 'close' },
    });
  }
  const keyHeader = c.req.header('idempotency-key');
  const key = keyHeader === undefined ? undefined : readIdempotencyKey(keyHeader);
  if (key === null) {
    const detail =
      'Idempotency-Key must have 1 to 255 characters of printable ASCII; one with spaces, commas, semicolons or quotes has to be quoted, as in "order 8, item 2"';
    return problem(c, { status: 400, code: 'INVALID_IDEMPOTENCY_KEY', detail });
  }
  if (!mayUseTool(identity, request.tool)) {
    return problem(c, { status: 403, code: 'FORBIDDEN', detail: refusalOfTool(identity, request.tool) });
  }
  const refused = rates.refuseCall(c, request.tool);
  if (refused !== null) return refused;
  const { view = 'canonical', ...options } = request.options;
  const clientGone = connections.clientGone(c.env);
  const { respondAsync, waitMs } = readPreferences(c.req.header('prefer'));
  // Who takes an answer that only says where the work goes on does not wait for a person, or not longer than it says.
  const approvalWaitMs = respondAsync ? (waitMs ?? 0) : waitMs;
  const answer: StreamedCall = async (signal, { onProgress, onApproval }, onUnderway) => {
    const execution: ExecuteRequest = {
      toolName: request.tool,
      arguments: request.arguments,
      context: {
        source: 'human',
        actor: actor ?? { type: 'human', id: identity.id, name: identity.name, maid: null },
        requestIp: connections.clientAddress(c.env),
        requestId: c.get('requestId'),
        owner: identity.id,
        roles: identity.roles,
        maySee: (owner) => maySee(identity, owner),
        isOffered: (name) => mayUseTool(identity, name),
        trace: c.get('trace'),
        ...(signal === null ? {} : { signal }),
        ...(onProgress === null ? {} : { onProgress }),
        ...(onApproval === null ? {} : { onApproval }),
      },
      options,
      warnings,
      ...(approvalWaitMs === null ? {} : { approvalWaitMs }),
      respondAsync,
    };
    if (key === undefined) onUnderway();
    const outcome =
      key === undefined
        ? { ok: true as const, result: await runtime.execute(execution), isReplay: false }
        : await runtime.executeKeyed(execution, key, onUnderway);
    if (!outcome.ok) return { ok: false, problem: KEY_REFUSAL_PROBLEMS[outcome.refusal] };
    const projected = presenting(view, c.get('trace'), () =>
      project(outcome.result, view, { viewer: identity, knownPaths, limits }),
    );
    const isAsync = outcome.result.status === 'accepted' && respondAsync;
    return { ok: true, text: jsonTextOf(projected), isReplay: outcome.isReplay, isAsync };
  };
  if (wantsEventStream(c)) {
    const given = callerGiven({ extensions: withCallerGiven({}, request.arguments, knownPaths) });
    const show = (event: ProgressEvent) => showProgress(event, { view, viewer: identity, knownPaths, given });
    return await streamCall(c, clientGone, answer, { limits, logger, show });
  }
  const answered = await answer(clientGone, { onProgress: null, onApproval: null }, () => undefined);
  if (!answered.ok) return problem(c, answered.problem);
  return c.body(answered.text, 200, {
    'content-type': 'application/json',
    ...(answered.isReplay ? { 'idempotency-replayed': 'true' } : {}),
    ...(answered.isAsync ? { 'preference-applied': 'respond-async' } : {}),
  });
};
