import type { ChatRequest } from '../../../ports/language-model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { isJsonObject } from '../../../lib/is-json-object.ts';

/**
 * The request as it is, streamed or whole. A stream is asked for its usage, unless the request says something about
 * that itself; options of streams are left out where nothing streams, since OpenAI refuses them there.
 */
export const toOpenAiRequest = (request: ChatRequest, isStream: boolean): JsonObject => {
  const { stream: _stream, stream_options: options, ...rest } = request;
  if (!isStream) return rest;
  const given = isJsonObject(options) ? options : {};
  return { ...rest, stream: true, stream_options: { include_usage: true, ...given } };
};
