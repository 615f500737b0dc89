import type { Context } from 'hono';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import { mergePatch } from '../../chat/passthrough/merge-patch.ts';
import type { FoundModel } from '../../chat/passthrough/find-model.ts';
import type { PassThrough } from '../../chat/passthrough/pass-through.ts';
import type { RelayedAnswer } from '../../chat/passthrough/relay.ts';
import { replaceImages } from '../../chat/passthrough/replace-images.ts';
import { replaceInEvents } from '../../chat/passthrough/replace-in-events.ts';
import type { SpecialKind } from '../../chat/passthrough/white-lists.ts';
import { readBounded } from '../../chat/models/transport/read-bounded.ts';
import { joinBytes } from '../../lib/bytes.ts';
import type { Issue } from '../../lib/issue.ts';
import type { Limits } from '../../lib/limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { mayCallTools } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import { cutStalled } from '../cut-stalled.ts';
import { problem } from '../problem.ts';
import { createKeepImage } from './keep-image.ts';
import { upstreamProblem } from './openai-error.ts';

/** A request that is to pass. */
export type PassingRequest = {
  /** Below the upstream's address. */
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly found: FoundModel & { readonly ok: true };
  readonly kind: SpecialKind;
  /** The name to ask the upstream by, where it is another one. */
  readonly target: string | null;
};

/** Hands the request to the upstream, and its answer to the client. */
export const relayRequest = async (
  c: Context<AppEnvironment>,
  request: PassingRequest,
  passThrough: PassThrough,
  dependencies: RouteDependencies,
): Promise<Response> => {
  const { connections, limits } = dependencies;
  const identity = c.get('identity');
  const requestId = c.get('requestId');
  if (!mayCallTools(identity)) {
    const detail = 'this key may not use models: it has no role that calls tools';
    return problem(c, { status: 403, code: 'FORBIDDEN', detail });
  }
  const outgoing = outgoingBody(request, passThrough.requestAdditions, limits);
  if (!outgoing.ok) {
    const detail = `the body ${outgoing.issue.message}`;
    return problem(c, { status: 400, code: 'INVALID_REQUEST', detail, issues: [outgoing.issue] });
  }
  const signal = connections.clientGone(c.env) ?? new AbortController().signal;
  try {
    const answer = await passThrough.relay({
      path: request.path,
      body: outgoing.body,
      contentType: c.req.header('content-type') ?? 'application/json',
      accept: c.req.header('accept') ?? null,
      requestId,
      signal,
    });
    const isKept = request.kind === 'image' && passThrough.imageResponses === 'resources';
    const keep = createKeepImage(dependencies, { owner: identity.id, requestId });
    return send(c, isKept ? await withResources(answer, keep, limits, signal) : answer, dependencies);
  } catch (error) {
    if (error instanceof UpstreamError) return problem(c, upstreamProblem(error));
    throw error;
  }
};

const send = (
  c: Context<AppEnvironment>,
  { status, headers, body }: RelayedAnswer,
  { limits, logger }: RouteDependencies,
): Response => {
  c.set('isRelayed', true);
  const onStall = () => logger.info('http.download-stalled', { requestId: c.get('requestId'), path: c.req.path });
  const all = { 'x-content-type-options': 'nosniff', 'x-accel-buffering': 'no', ...headers };
  if (body === null) return c.body(null, status as StatusCode, all);
  const sent =
    body instanceof ReadableStream
      ? (cutStalled(body, limits.downloadStallMs, onStall) as ReadableStream<Uint8Array<ArrayBuffer>>)
      : body;
  return c.body(sent, status as ContentfulStatusCode, all);
};

type OutgoingBody =
  | { readonly ok: true; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly issue: Issue };

/** The body as it came, but for what the operator has added, and for the model's other name. */
const outgoingBody = (
  { body, found, kind, target }: PassingRequest,
  additions: JsonObject,
  limits: Limits,
): OutgoingBody => {
  const encoder = new TextEncoder();
  if (kind === 'image' && Object.keys(additions).length > 0) {
    const parsed = parseJson(new TextDecoder().decode(body), limits);
    if (!parsed.ok) return parsed;
    const merged = mergePatch(mergePatch(parsed.value as JsonObject, additions), { model: target ?? found.model });
    return { ok: true, body: encoder.encode(JSON.stringify(merged)) };
  }
  if (target === null) return { ok: true, body };
  const name = encoder.encode(JSON.stringify(target));
  return { ok: true, body: joinBytes([body.subarray(0, found.start), name, body.subarray(found.end)]) };
};

/** The answer with the addresses of kept images in their place. */
const withResources = async (
  answer: RelayedAnswer,
  keep: ReturnType<typeof createKeepImage>,
  limits: Limits,
  signal: AbortSignal,
): Promise<RelayedAnswer> => {
  if (!(answer.body instanceof ReadableStream)) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  if (/^text\/event-stream\b/i.test(headers['content-type'] ?? ''))
    return { ...answer, headers, body: replaceInEvents(answer.body, keep, limits) };
  const text = await readBounded(answer.body, limits.upstreamAnswerBytes, signal);
  return { ...answer, headers, body: new TextEncoder().encode(await replaceImages(text, keep, limits)) };
};
