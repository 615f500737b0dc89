import type { Clock } from '../../ports/clock.ts';
import { GEMINI_MEDIA } from '../../present/model/gemini.ts';
import { toGeminiRequest } from './gemini/request.ts';
import { createGeminiMapper } from './gemini/stream-mapper.ts';
import { objectsOf, textOf } from './json-fields.ts';
import type { VendorDialect } from './upstream-model.ts';

/** Gemini's generateContent. The clock makes ids of tool calls, where the answer has none to make them of. */
export const createGeminiDialect = (clock: Clock): VendorDialect => ({
  mediaRules: GEMINI_MEDIA,
  toRequest: toGeminiRequest,
  createMapper: () => createGeminiMapper(clock.now().toString(36)),
  // The stream just ends.
  isLast: () => false,
  modelsPath: '/models?pageSize=1000',
  toModels: ({ models }) =>
    objectsOf(models).map(({ name }) => ({
      id: textOf(name).replace(/^models\//, ''),
      created: null,
      ownedBy: 'google',
    })),
});
