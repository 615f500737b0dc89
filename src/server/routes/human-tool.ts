import { Hono, type Context } from 'hono';
import { readToolRequest } from '../../instruction/read-tool-request.ts';
import { jsonTextOf } from '../../lib/json-text.ts';
import { HumanToolRequest, ResultView, type Actor } from '../../protocol/invocation.ts';
import type { Warning } from '../../protocol/warning.ts';
import { project } from '../../runtime/project.ts';
import { mayUseTool } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { boundedJson, isJson, validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

/**
 * `POST /v1/human/tool` (§9.1): JSON, or one TOOL_REQUEST block as `text/plain` with `?view=`. The answer to a call that reached
 * the runtime is 200 with a result in it, also when the tool failed.
 */
export const humanToolRoutes = (dependencies: AppDependencies) =>
  new Hono<AppEnvironment>().post(
    '/v1/human/tool',
    async (c, next) => {
      const contentType = c.req.header('content-type');
      if (isJson(contentType)) return await next();
      if (contentType !== undefined && /^text\/plain\s*(;|$)/i.test(contentType.trim()))
        return await callFromText(c, dependencies);
      return problem(c, {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        detail:
          'send a JSON body (content-type: application/json) or one TOOL_REQUEST block (content-type: text/plain)',
      });
    },
    boundedJson(dependencies.limits),
    validated('json', HumanToolRequest),
    (c) => call(c, c.req.valid('json'), { actor: null, warnings: [] }, dependencies),
  );

const callFromText = async (c: Context<AppEnvironment>, dependencies: AppDependencies): Promise<Response> => {
  const { registry } = dependencies;
  const view = ResultView.safeParse(c.req.query('view') ?? 'canonical');
  if (!view.success) {
    const message = `must be one of ${ResultView.options.join(', ')}`;
    return problem(c, {
      status: 400,
      code: 'INVALID_REQUEST',
      detail: `the query parameter view ${message}`,
      issues: [{ pointer: '/view', message }],
    });
  }
  const read = readToolRequest(await c.req.text(), {
    findTool: (name) => {
      const plugin = registry.get(name);
      if (plugin === null) return null;
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
  const { toolName, arguments: args, maid, repeatedKeys } = read.request;
  const actor: Actor | null = maid === null ? null : { type: 'agent', id: null, name: maid, maid };
  const warnings = repeatedKeys.map(repeatedKey);
  return await call(
    c,
    { tool: toolName, arguments: args, options: { view: view.data } },
    { actor, warnings },
    dependencies,
  );
};

const repeatedKey = (key: string): Warning => ({
  code: 'REPEATED_KEY',
  message: `the block gives "${key.slice(0, 100)}" more than once; the last value was used`,
  target: null,
  details: null,
});

/** What a text call says beside the call itself. */
type Spoken = { readonly actor: Actor | null; readonly warnings: readonly Warning[] };

const call = async (
  c: Context<AppEnvironment>,
  request: HumanToolRequest,
  { actor, warnings }: Spoken,
  { runtime, connections, knownPaths, limits, isReady }: AppDependencies,
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
  if (!mayUseTool(identity, request.tool)) {
    return problem(c, { status: 403, code: 'FORBIDDEN', detail: `this key may not use the tool "${request.tool}"` });
  }
  const { view, ...options } = request.options;
  const signal = connections.clientGone(c.env);
  const result = await runtime.execute({
    toolName: request.tool,
    arguments: request.arguments,
    context: {
      source: 'human',
      actor: actor ?? { type: 'human', id: identity.id, name: identity.name, maid: null },
      requestIp: connections.clientAddress(c.env),
      requestId: c.get('requestId'),
      owner: identity.id,
      ...(signal === null ? {} : { signal }),
    },
    options,
    warnings,
  });
  const projected = project(result, view, { viewer: identity, knownPaths, limits });
  return c.body(jsonTextOf(projected), 200, { 'content-type': 'application/json' });
};
