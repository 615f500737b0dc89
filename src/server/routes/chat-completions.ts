import { Hono, type Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { Interrupted } from '../../chat/interrupted.ts';
import type { ChatCaller } from '../../chat/loop/chat-caller.ts';
import type { ChatService, StartedChat } from '../../chat/chat-service.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ChatRequest, ModelAnswer } from '../../ports/language-model.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import { maySee, mayUseTool } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { ChatCompletionRequest } from '../chat/chat-completion-request.ts';
import { createChunkWriter, type ChunkFrame } from '../chat/completion-chunks.ts';
import { openAiError, upstreamProblem } from '../chat/openai-error.ts';
import { NO_UPSTREAM, SHUTTING_DOWN } from '../chat/refusals.ts';
import type { RunningChats } from '../chat/running-chats.ts';
import { boundedJson, validated } from '../middleware/json-body.ts';
import { INTERNAL_ERROR, problem, problemBody } from '../problem.ts';
import type { RateGate } from '../rate-gate.ts';
import { specialChats } from './special-models.ts';

type ChatDependencies = RouteDependencies & { readonly rates: RateGate; readonly running: RunningChats };

/**
 * `POST /v1/chat/completions`, in the words of OpenAI, with the server's tools: calls in the model's text are run, and the
 * client gets one answer. A stream ends with exactly one `[DONE]`, also after an error.
 */
export const chatCompletionRoutes = (dependencies: ChatDependencies) =>
  new Hono<AppEnvironment>().post(
    '/v1/chat/completions',
    specialChats(dependencies),
    boundedJson(dependencies.limits),
    validated('json', ChatCompletionRequest),
    async (c) => {
      const { chat, isReady } = dependencies;
      if (!isReady()) return problem(c, SHUTTING_DOWN);
      if (chat === undefined) return problem(c, NO_UPSTREAM);
      return await answer(c, c.req.valid('json'), chat, dependencies);
    },
  );

const answer = async (
  c: Context<AppEnvironment>,
  body: ChatCompletionRequest,
  chat: ChatService,
  dependencies: ChatDependencies,
): Promise<Response> => {
  const { connections, clock, running } = dependencies;
  const { vcp, stream, ...asked } = body;
  const requestId = c.get('requestId');
  const frame: ChunkFrame = {
    id: `chatcmpl-${requestId}`,
    created: Math.floor(clock.now() / 1_000),
    model: asked.model,
  };
  const controller = new AbortController();
  const clientGone = connections.clientGone(c.env);
  const signal = clientGone === null ? controller.signal : AbortSignal.any([controller.signal, clientGone]);
  const forget = running.add([requestId, frame.id], c.get('identity').id, controller);
  let isStreaming = false;
  try {
    const started = await chat.start(asked as unknown as ChatRequest, callerOf(c, vcp.tools, dependencies), {
      ...(vcp.toolUse === undefined ? {} : { toolUse: vcp.toolUse }),
      ...(vcp.display === undefined ? {} : { display: vcp.display }),
      signal,
    });
    if (!started.ok) return problem(c, { status: 422, code: started.code, detail: started.message });
    if (stream === true) {
      isStreaming = true;
      const includeUsage = body.stream_options?.include_usage === true;
      return await streamAnswer(c, started, { frame, includeUsage, controller, forget }, dependencies);
    }
    return c.json(completionOf(await started.whole(), frame));
  } catch (error) {
    if (error instanceof UpstreamError) return problem(c, upstreamProblem(error));
    if (signal.reason instanceof Interrupted) {
      return problem(c, { status: 409, code: 'INTERRUPTED', detail: 'the conversation was interrupted' });
    }
    throw error;
  } finally {
    if (!isStreaming) forget();
  }
};

const callerOf = (
  c: Context<AppEnvironment>,
  tools: readonly string[] | undefined,
  { connections, rates }: ChatDependencies,
): ChatCaller => {
  const identity = c.get('identity');
  const chosen = tools === undefined ? null : new Set(tools);
  return {
    owner: identity.id,
    viewer: identity,
    actor: { type: 'agent', id: identity.id, name: identity.name, maid: null },
    requestId: c.get('requestId'),
    requestIp: connections.clientAddress(c.env),
    trace: c.get('trace'),
    maySee: (owner) => maySee(identity, owner),
    isOffered: (name) => mayUseTool(identity, name) && (chosen === null || chosen.has(name)),
    refuseCall: (name) => rates.refuseSpokenCall(identity, name),
  };
};

/** A whole answer in OpenAI's form. */
const completionOf = ({ model, choices, usage, fields }: ModelAnswer, frame: ChunkFrame) => ({
  ...fields,
  id: frame.id,
  object: 'chat.completion',
  created: frame.created,
  model: model ?? frame.model,
  choices,
  ...(usage === null ? {} : { usage }),
});

type Streaming = {
  readonly frame: ChunkFrame;
  readonly includeUsage: boolean;
  readonly controller: AbortController;
  forget(): void;
};

const streamAnswer = async (
  c: Context<AppEnvironment>,
  started: StartedChat & { readonly ok: true },
  { frame, includeUsage, controller, forget }: Streaming,
  { limits, logger }: ChatDependencies,
): Promise<Response> => {
  const events = started.stream();
  const chunks = createChunkWriter(frame, includeUsage);
  let first: readonly JsonObject[] = [];
  try {
    // What is refused before the model has said anything is an ordinary problem.
    while (first.length === 0) {
      const next = await events.next();
      if (next.done === true) break;
      first = chunks.write(next.value);
    }
  } catch (error) {
    forget();
    throw error;
  }
  c.header('x-accel-buffering', 'no');
  const write = async (stream: SSEStreamingApi, data: unknown) => await stream.writeSSE({ data: JSON.stringify(data) });
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => controller.abort());
    const keepAlive = setInterval(() => void stream.write(': keep-alive\n\n'), limits.streamKeepAliveMs);
    try {
      for (const chunk of first) await write(stream, chunk);
      for await (const event of events) for (const chunk of chunks.write(event)) await write(stream, chunk);
    } catch (error) {
      if (controller.signal.aborted) return;
      if (!(error instanceof UpstreamError))
        logger.error('http.fault', { requestId: c.get('requestId'), path: c.req.path, fault: describeFault(error) });
      const facts = error instanceof UpstreamError ? upstreamProblem(error) : INTERNAL_ERROR;
      await write(stream, { error: openAiError(problemBody(c, facts)) });
    } finally {
      clearInterval(keepAlive);
      await events.return(undefined).catch(() => undefined);
      forget();
      if (!stream.aborted) await stream.writeSSE({ data: '[DONE]' });
    }
  });
};
