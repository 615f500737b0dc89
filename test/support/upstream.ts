import { createUpstream, type UpstreamConfiguration } from '../../src/chat/models/create-upstream.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { ChatRequest, LanguageModel, ModelEvent } from '../../src/ports/language-model.ts';
import { UpstreamError } from '../../src/ports/upstream-error.ts';

export const KEY = 'sk-test-0123456789abcdefghij';

type Kind = UpstreamConfiguration['VCP_UPSTREAM_KIND'];

/** What is answered to one request: an answer, a network failure, or nothing until the request is given up. */
export type PlannedAnswer = Response | Error | 'silence';

export type SentRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly redirect: string | undefined;
  readonly signal: AbortSignal;
};

export type TestUpstream = {
  readonly model: LanguageModel;
  readonly sent: SentRequest[];
  /** Milliseconds of each wait between attempts. */
  readonly waits: number[];
};

/** An upstream whose network is a list of answers, and which waits in no time. */
export const upstreamOf = (
  kind: Kind,
  answers: readonly PlannedAnswer[],
  {
    limits = {},
    url = 'https://upstream.example',
    redirects = [],
    key = KEY,
  }: { limits?: Partial<Limits>; url?: string; redirects?: readonly string[]; key?: string } = {},
): TestUpstream => {
  const sent: SentRequest[] = [];
  const waits: number[] = [];
  const left = [...answers];
  const model = createUpstream(
    { VCP_UPSTREAM_URL: url, VCP_UPSTREAM_KEY: key, VCP_UPSTREAM_KIND: kind, VCP_MODEL_REDIRECTS: redirects },
    {
      fetch: async (address, { method, headers, body, redirect, signal }) => {
        sent.push({
          url: address,
          method: method ?? '',
          headers: headers as Record<string, string>,
          body: typeof body === 'string' ? (JSON.parse(body) as unknown) : null,
          redirect,
          signal: signal!,
        });
        const answer = left.shift();
        if (answer === undefined) throw new Error('a request more than was planned');
        if (answer === 'silence')
          return await new Promise((_, reject) =>
            signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
          );
        if (answer instanceof Error) throw answer;
        return answer;
      },
      clock: { now: () => Date.UTC(2026, 10, 30, 12, 0, 0), monotonic: () => 0 },
      pause: {
        random: () => 0.5,
        sleep: async (ms, signal) => {
          signal.throwIfAborted();
          waits.push(ms);
        },
      },
      limits: { ...DEFAULT_LIMITS, ...limits },
    },
  );
  if (model === null) throw new Error('no upstream');
  return { model, sent, waits };
};

/** A body that comes in pieces of so many bytes. */
export const bodyOf = (text: string, size = Number.POSITIVE_INFINITY): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
};

export const eventStream = (text: string, size?: number): Response =>
  new Response(bodyOf(text, size), { headers: { 'content-type': 'text/event-stream' } });

export const answered = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

export const asking = (fields: Readonly<Record<string, unknown>> = {}): ChatRequest =>
  ({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }) as unknown as ChatRequest;

export const never = new AbortController().signal;

/** All events, and the failure that the stream ended with. */
export const eventsOf = async (
  model: LanguageModel,
  request: ChatRequest = asking(),
  signal: AbortSignal = never,
): Promise<{ readonly events: ModelEvent[]; readonly error: UpstreamError | null }> => {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, { signal })) events.push(event);
    return { events, error: null };
  } catch (error) {
    if (error instanceof UpstreamError) return { events, error };
    throw error;
  }
};

/** The failure of work that has to fail. */
export const faultOf = async (work: Promise<unknown>): Promise<UpstreamError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof UpstreamError) return error;
  throw new Error('there was no upstream error', { cause: error });
};

export const textIn = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');
