import { OPENAI_CHAT_MEDIA } from '../../present/model/openai-chat.ts';
import { countOf, objectsOf, textOf } from './json-fields.ts';
import { createOpenAiMapper } from './openai/stream-mapper.ts';
import { toOpenAiRequest } from './openai/request.ts';
import type { VendorDialect } from './upstream-model.ts';

/** OpenAI's Chat Completions, and the many servers that speak the same: requests and answers go through as they are. */
export const OPENAI_DIALECT: VendorDialect = {
  mediaRules: OPENAI_CHAT_MEDIA,
  toRequest: (request, isStream) => ({
    path: '/chat/completions',
    body: toOpenAiRequest(request, isStream),
    notices: [],
  }),
  createMapper: createOpenAiMapper,
  // The stream itself says [DONE].
  isLast: () => false,
  modelsPath: '/models',
  toModels: ({ data }) =>
    objectsOf(data).map(({ id, created, owned_by: owner }) => ({
      id: textOf(id),
      created: countOf(created) || null,
      ownedBy: textOf(owner) || 'unknown',
    })),
};
