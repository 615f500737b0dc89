import type { Limits } from '../../lib/limits.ts';
import { ANTHROPIC_MEDIA } from '../../present/model/anthropic.ts';
import { toAnthropicRequest } from './anthropic/request.ts';
import { createAnthropicMapper } from './anthropic/stream-mapper.ts';
import { objectsOf, textOf } from './json-fields.ts';
import type { VendorDialect } from './upstream-model.ts';

/** The version of the interface that these mappings are written for. */
export const ANTHROPIC_VERSION = '2023-06-01';

/** Anthropic's Messages. */
export const createAnthropicDialect = ({ upstreamAnswerTokens }: Limits): VendorDialect => ({
  mediaRules: ANTHROPIC_MEDIA,
  toRequest: (request, isStream) => toAnthropicRequest(request, isStream, upstreamAnswerTokens),
  createMapper: createAnthropicMapper,
  isLast: ({ type }) => type === 'message_stop',
  modelsPath: '/models?limit=1000',
  toModels: ({ data }) =>
    objectsOf(data).map(({ id, created_at: createdAt }) => {
      const created = Date.parse(textOf(createdAt));
      return {
        id: textOf(id),
        created: Number.isNaN(created) ? null : Math.floor(created / 1_000),
        ownedBy: 'anthropic',
      };
    }),
});
