import type { ChatRequest, LanguageModel, ModelEvent, ModelNotice, OfferedModel } from '../../ports/language-model.ts';
import type { MediaRules } from '../../ports/media-rules.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { createAnswerCollector } from './collect-answer.ts';
import type { StreamMapper } from './stream-mapper.ts';
import type { UpstreamConnection } from './transport/connection.ts';

/** A request in a vendor's words: where it goes, its body, and what of the original did not get through. */
export type VendorRequest = {
  readonly path: string;
  readonly body: JsonObject;
  readonly notices: readonly ModelNotice[];
};

/** What one vendor's interface is like: pure mappings. */
export type VendorDialect = {
  readonly mediaRules: MediaRules;
  /** Throws an `UpstreamError` for what this vendor cannot do. */
  toRequest(request: ChatRequest, isStream: boolean): VendorRequest;
  createMapper(): StreamMapper;
  /** Whether nothing comes after this message of a stream. */
  isLast(message: JsonObject): boolean;
  readonly modelsPath: string;
  toModels(body: JsonObject): readonly OfferedModel[];
};

/** A model behind a connection that speaks a dialect. A whole answer goes through the same mapping as a stream. */
export const createUpstreamModel = (dialect: VendorDialect, connection: UpstreamConnection): LanguageModel => ({
  mediaRules: dialect.mediaRules,

  complete: async (request, { signal }) => {
    const { path, body, notices } = dialect.toRequest(request, false);
    const answer = await connection.json(path, body, signal);
    const collector = createAnswerCollector();
    for (const event of [...asEvents(notices), ...wholeEvents(dialect.createMapper(), answer)]) collector.add(event);
    return collector.answer();
  },

  stream: async function* (request, { signal }) {
    const { path, body, notices } = dialect.toRequest(request, true);
    const mapper = dialect.createMapper();
    let isDone = false;
    yield* asEvents(notices);
    for await (const message of connection.stream(path, body, signal, (last) => dialect.isLast(last))) {
      if (message.type === 'whole') {
        yield* wholeEvents(mapper, message.body);
        return;
      }
      if (message.type === 'done') isDone = true;
      else yield* mapper.events(message.body);
    }
    yield* mapper.end(isDone) ?? fail(cutOff());
  },

  listModels: async ({ signal }) => dialect.toModels(await connection.json(dialect.modelsPath, null, signal)),
});

const asEvents = (notices: readonly ModelNotice[]): readonly ModelEvent[] =>
  notices.map((notice) => ({ type: 'notice', notice }));

const wholeEvents = (mapper: StreamMapper, body: JsonObject): readonly ModelEvent[] => {
  const events = mapper.events(body);
  return [...events, ...(mapper.end(true) ?? fail(noAnswer()))];
};

const fail = (error: UpstreamError): never => {
  throw error;
};

const cutOff = (): UpstreamError =>
  new UpstreamError({
    code: 'UPSTREAM_CUT_OFF',
    message: "the upstream's stream ended before the answer was complete",
    isRetryable: true,
  });

const noAnswer = (): UpstreamError =>
  new UpstreamError({
    code: 'UPSTREAM_INVALID_ANSWER',
    message:
      'the answer of the upstream has nothing in it that is one; VCP_UPSTREAM_KIND or VCP_UPSTREAM_URL may be wrong',
  });
