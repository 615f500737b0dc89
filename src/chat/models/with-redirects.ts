import type { ChatRequest, LanguageModel, ModelAnswer, ModelEvent } from '../../ports/language-model.ts';

/**
 * The model, whose models have other names too: a request for an alias goes to the model that it stands for, and the
 * answer bears the name that was asked for. An alias of an alias is not followed.
 */
export const withRedirects = (model: LanguageModel, redirects: ReadonlyMap<string, string>): LanguageModel => {
  const directed = (request: ChatRequest): { readonly request: ChatRequest; readonly alias: string | null } => {
    const target = redirects.get(request.model);
    return target === undefined
      ? { request, alias: null }
      : { request: { ...request, model: target }, alias: request.model };
  };
  return {
    ...model,
    complete: async (asked, options) => {
      const { request, alias } = directed(asked);
      const answer = await model.complete(request, options);
      return alias === null ? answer : ({ ...answer, model: alias } satisfies ModelAnswer);
    },
    stream: async function* (asked, options) {
      const { request, alias } = directed(asked);
      for await (const event of model.stream(request, options)) yield named(event, alias);
    },
    listModels: async (options) => {
      const offered = await model.listModels(options);
      const aliases = [...redirects].map(([alias, target]) => {
        const known = offered.find(({ id }) => id === target);
        return { created: known?.created ?? null, ownedBy: known?.ownedBy ?? 'unknown', id: alias };
      });
      return [...aliases, ...offered.filter(({ id }) => !redirects.has(id))];
    },
  };
};

const named = (event: ModelEvent, alias: string | null): ModelEvent =>
  alias === null || event.type !== 'start' ? event : { ...event, model: alias };
