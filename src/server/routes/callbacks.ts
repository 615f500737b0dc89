import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { addressGroup } from '../../lib/address-group.ts';
import { createFailureDelay } from '../../lib/failure-delay.ts';
import { issuesOf, type Issue } from '../../lib/issue.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { TaskId } from '../../protocol/ids.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { ToolName } from '../../protocol/names.ts';
import { ProgressReport } from '../../protocol/stdio-frame.ts';
import { CallbackProtocol } from '../../protocol/callback.ts';
import type { CallbackReceiver, CallbackAddressee } from '../../runtime/tasks/callback-receiver.ts';
import type { CallbackContent, CallbackVerdict } from '../../runtime/tasks/callback-verdict.ts';
import type { TaskTokenVerifier } from '../../task/task-token-verifier.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { isRightSignature } from '../callback-signature.ts';
import { isJson, utf8Body } from '../middleware/json-body.ts';
import { limitedBody } from '../middleware/limited-body.ts';
import { problem } from '../problem.ts';
import { wholeSeconds } from '../rate-limit-fields.ts';

export type CallbackDependencies = Pick<
  RouteDependencies,
  'clock' | 'limits' | 'logger' | 'connections' | 'callbackUrlTokens'
> & {
  readonly tokens: TaskTokenVerifier;
  readonly receiver: CallbackReceiver;
};

/** The payload itself is held against the protocol by the stages that every payload passes. */
const Envelope = z
  .strictObject({
    protocol: CallbackProtocol,
    taskId: TaskId,
    result: z.unknown().optional(),
    progress: ProgressReport.optional(),
  })
  .refine((body) => Object.hasOwn(body, 'result') !== (body.progress !== undefined), {
    error: 'has either "result", which ends the task, or "progress"',
  });

/** A token that was presented, and whether it stood in the address. */
type Presented = { readonly token: string; readonly isInAddress: boolean };

/**
 * Where asynchronous plugins call back (§10.3, §19.4). It needs no key of the server but the token of the task, which is
 * bound to the plugin and the task; nothing here touches a path on disk.
 */
export const callbackRoutes = (dependencies: CallbackDependencies) => {
  const { tokens, receiver, clock, limits, logger, connections } = dependencies;
  const wrongTokens = createFailureDelay({
    free: limits.freeWrongKeys,
    longestMs: limits.wrongKeyDelayMs,
    capacity: limits.trackedAddresses,
  });

  const refuseToken = (c: Context<AppEnvironment>, detail: string): Response => {
    const address = connections.clientAddress(c.env);
    const source = address === null ? null : addressGroup(address);
    const delay = source === null ? null : wrongTokens.fail(source, clock.monotonic());
    if (delay === null || delay.waitMs === 0) return unauthorized(c, detail);
    const seconds = wholeSeconds(delay.waitMs);
    // Once a wait, so that guessing cannot fill the log.
    if (delay.isNew) logger.warn('callback.wrong-tokens', { address: source, failures: delay.failures });
    return problem(c, {
      status: 429,
      code: 'TOO_MANY_WRONG_KEYS',
      detail: `${detail}, and many wrong ones have come from this address: wait ${seconds} s before you try another`,
      headers: { 'retry-after': String(seconds) },
    });
  };

  const presented = (c: Context<AppEnvironment>): Presented | null => {
    const header = c.req.header('authorization');
    const token = header === undefined ? undefined : /^VCP-Plugin +(\S+) *$/i.exec(header)?.[1];
    if (token !== undefined) return { token, isInAddress: false };
    const query = dependencies.callbackUrlTokens() ? c.req.query('token') : undefined;
    return query === undefined ? null : { token: query, isInAddress: true };
  };

  /** The task that a token lets in at this address, or the answer to who comes without. */
  const admitted = async (
    c: Context<AppEnvironment>,
    { token }: Presented,
    toolName: string,
    taskId: string,
  ): Promise<CallbackAddressee | Response> => {
    const verified = await tokens.verify(token);
    if (verified.verdict === 'expired') return unauthorized(c, 'the token has expired, and its task with it');
    if (verified.verdict !== 'valid') return refuseToken(c, 'the token is none of this server');
    const task = await receiver.find(taskId, verified);
    if (task === null) return notFound(c, taskId);
    const { claims } = verified;
    if (claims.taskId !== taskId || claims.toolName !== toolName || task.toolName !== toolName) {
      return refuseToken(c, 'the token is of another task or plugin');
    }
    return task;
  };

  const isTimely = (timestamp: string): boolean =>
    /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - clock.now()) <= limits.callbackSkewMs;

  return new Hono<AppEnvironment>().post(
    '/plugin-callback/:pluginName/:taskId',
    limitedBody(limits.callbackBodyBytes),
    async (c, next) => {
      const token = presented(c);
      if (token === null) return unauthorized(c, 'this needs the header "Authorization: VCP-Plugin <token>"');
      const toolName = ToolName.safeParse(c.req.param('pluginName')).data;
      const taskId = TaskId.safeParse(c.req.param('taskId')).data;
      if (toolName === undefined || taskId === undefined) return notFound(c, c.req.param('taskId'));
      const task = await admitted(c, token, toolName, taskId);
      if (task instanceof Response) return task;
      const timestamp = c.req.header('webhook-timestamp');
      const id = c.req.header('webhook-id');
      if (timestamp === undefined ? !token.isInAddress : !isTimely(timestamp)) {
        const detail = `webhook-timestamp must be the Unix time in seconds, within ${limits.callbackSkewMs / 1_000} s of the server's`;
        return unauthorized(c, detail);
      }
      if (id === undefined ? !token.isInAddress : !/^[\x21-\x7e]{1,255}$/.test(id)) {
        return problem(c, {
          status: 400,
          code: 'INVALID_REQUEST',
          detail: 'webhook-id must be 1 to 255 characters of printable ASCII, another for each callback',
        });
      }
      c.set('callback', { task, token: token.token, id: id ?? null, timestamp: timestamp ?? null });
      return await next();
    },
    utf8Body(),
    async (c) => {
      const { task, token, id, timestamp } = c.get('callback');
      if (!isJson(c.req.header('content-type'))) {
        const detail = 'a callback is JSON (content-type: application/json)';
        return problem(c, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail });
      }
      const body = await c.req.text();
      const signature = c.req.header('webhook-signature');
      if (signature !== undefined) {
        const signed = { id: id ?? '', timestamp: timestamp ?? '', body, token };
        if (!(await isRightSignature(signature, signed))) return refuseToken(c, 'webhook-signature is not right');
      }
      // The envelope adds a level to the depth that a payload may have.
      const parsed = parseJson(body, { jsonDepth: limits.jsonDepth + 1, jsonNodes: limits.jsonNodes });
      if (!parsed.ok) {
        const detail = `the body ${parsed.issue.pointer === '' ? '' : `at ${parsed.issue.pointer} `}${parsed.issue.message}`;
        return problem(c, { status: 400, code: 'INVALID_REQUEST', detail, issues: [parsed.issue] });
      }
      const envelope = Envelope.safeParse(parsed.value);
      if (!envelope.success) return invalid(c, 'the callback is not valid', issuesOf(envelope.error));
      if (envelope.data.taskId !== task.taskId) {
        const issues = [{ pointer: '/taskId', message: `must be that of the address, ${task.taskId}` }];
        return invalid(c, 'the callback is of another task', issues);
      }
      const { progress } = envelope.data;
      const content: CallbackContent =
        progress === undefined
          ? { kind: 'result', result: (parsed.value as { readonly result: JsonValue }).result }
          : { kind: 'progress', progress };
      const verdict = await task.receive(content, id);
      // A job may tell of its progress for hours.
      const level = verdict.verdict !== 'taken' ? 'warn' : content.kind === 'progress' ? 'debug' : 'info';
      logger[level]('callback.received', {
        ...task.ids,
        taskId: task.taskId,
        toolName: task.toolName,
        kind: content.kind,
        verdict: verdict.verdict,
      });
      return answerOf(c, verdict);
    },
  );
};

const answerOf = (c: Context<AppEnvironment>, verdict: CallbackVerdict): Response => {
  switch (verdict.verdict) {
    case 'taken':
      return c.json(verdict.receipt);
    case 'id-reused': {
      const detail = 'a callback of this webhook-id was taken, and said something else; each has an id of its own';
      return problem(c, { status: 409, code: 'WEBHOOK_ID_REUSED', detail });
    }
    case 'ended': {
      const detail = `the task has ended as ${verdict.state}, and takes no more callbacks`;
      return problem(c, { status: 409, code: 'TASK_ENDED', detail });
    }
    case 'invalid':
      return invalid(c, verdict.message, verdict.issues);
  }
};

const invalid = (c: Context<AppEnvironment>, what: string, issues: readonly Issue[]): Response =>
  problem(c, {
    status: 422,
    code: 'INVALID_TOOL_RESULT',
    detail: `${what}; the task goes on, so send it again when it is mended`,
    issues,
  });

const notFound = (c: Context<AppEnvironment>, taskId: string): Response =>
  problem(c, { status: 404, code: 'NOT_FOUND', detail: `there is no task "${taskId.slice(0, 64)}" of this plugin` });

const unauthorized = (c: Context<AppEnvironment>, detail: string): Response =>
  problem(c, {
    status: 401,
    code: 'UNAUTHORIZED',
    detail,
    headers: { 'www-authenticate': 'VCP-Plugin realm="vcp"' },
  });
