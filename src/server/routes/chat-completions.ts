import { Hono, type Context } from 'hono';
import type { ChatCaller } from '../../chat/loop/chat-caller.ts';
import type { ChatOptions, ChatService, StartedChat } from '../../chat/chat-service.ts';
import { beforeSilence } from '../../lib/before-silence.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import type { ChatRequest, ModelAnswer } from '../../ports/language-model.ts';
import { maySee, mayUseTool } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { ChatCompletionRequest } from '../chat/chat-completion-request.ts';
import { answerTexts, openAnswer } from '../chat/answer-texts.ts';
import { CLIENT_LEFT, chatProblem } from '../chat/chat-problem.ts';
import { createChunkWriter, type ChunkFrame } from '../chat/completion-chunks.ts';
import { eventStreamBody } from '../chat/event-stream-body.ts';
import { openAiError, type OpenAiError } from '../chat/openai-error.ts';
import { NO_UPSTREAM, SHUTTING_DOWN } from '../chat/refusals.ts';
import type { RunningChats } from '../chat/running-chats.ts';
import { boundedJson, jsonOnly, utf8Body, validated } from '../middleware/json-body.ts';
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
    jsonOnly(),
    utf8Body(),
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
  const { tools, ...options } = vcp;
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
    const started = await chat.start(asked as unknown as ChatRequest, callerOf(c, tools, dependencies), {
      ...options,
      signal,
    } as ChatOptions & { readonly signal: AbortSignal });
    if (!started.ok) return problem(c, { status: 422, code: started.code, detail: started.message });
    if (stream !== true) return c.json(completionOf(await started.whole(), frame));
    const includeUsage = body.stream_options?.include_usage === true;
    const response = await streamAnswer(c, started, { frame, includeUsage, controller, signal, forget }, dependencies);
    isStreaming = true;
    return response;
  } catch (error) {
    const facts = chatProblem(error, signal);
    if (facts === null) throw error;
    if (facts === CLIENT_LEFT) dependencies.logger.debug('http.client-left', { requestId, path: c.req.path });
    return problem(c, facts);
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
  readonly signal: AbortSignal;
  forget(): void;
};

/**
 * What is refused before the model has said anything is an ordinary problem. A client that has waited so long for the
 * first word that a proxy might give up gets the head of a stream all the same, and then learns of failures by it.
 */
const streamAnswer = async (
  c: Context<AppEnvironment>,
  started: StartedChat & { readonly ok: true },
  { frame, includeUsage, controller, signal, forget }: Streaming,
  { limits, logger }: ChatDependencies,
): Promise<Response> => {
  const requestId = c.get('requestId');
  const events = started.stream();
  const chunks = createChunkWriter(frame, includeUsage);
  const opening = openAnswer(events, chunks);
  // It may fail when nobody reads the stream any more.
  opening.catch(() => undefined);
  await beforeSilence(opening, limits.streamKeepAliveMs);

  const tellFault = (error: unknown): OpenAiError | null => {
    const facts = chatProblem(error, signal);
    if (facts === CLIENT_LEFT) return null;
    if (facts === null) logger.error('http.fault', { requestId, path: c.req.path, fault: describeFault(error) });
    return openAiError(problemBody(c, facts ?? INTERNAL_ERROR));
  };
  const body = eventStreamBody(answerTexts({ events, chunks, opening, tellFault, onEnd: forget }), {
    keepAliveMs: limits.streamKeepAliveMs,
    stallMs: limits.downloadStallMs,
    onGone: (reason) => {
      if (reason === 'stalled') logger.info('http.download-stalled', { requestId });
      controller.abort();
      events.return(undefined).catch(() => undefined);
      forget();
    },
  });
  return c.body(body, 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Proxies that gather an answer before they pass it on would gather the text too.
    'x-accel-buffering': 'no',
  });
};
