import type { Limits } from '../../lib/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { UpstreamKind } from '../models/base-url.ts';
import { redirectsOf } from '../models/redirects-of.ts';
import type { UpstreamFetch } from '../models/transport/connection.ts';
import { upstreamTargetOf, type TargetConfiguration } from '../models/upstream-target.ts';
import { createRelay, type Relay } from './relay.ts';
import { createWhiteLists, type SpecialKind } from './white-lists.ts';

/** What the answers of image models become: what they were, or with addresses in the place of images. */
export type ImageResponses = 'untouched' | 'resources';

export type PassThroughConfiguration = TargetConfiguration & {
  readonly VCP_MODEL_REDIRECTS: readonly string[];
  readonly VCP_WHITELIST_EMBEDDING_MODELS: readonly string[];
  readonly VCP_WHITELIST_IMAGE_MODELS: readonly string[];
  readonly VCP_IMAGE_REQUEST_ADDITIONS: JsonObject;
  readonly VCP_IMAGE_RESPONSES: ImageResponses;
};

/** What passes this server by, rather than through it: requests for models on the white lists. */
export type PassThrough = {
  readonly upstreamKind: UpstreamKind;
  /** What a request for the model is; null for a model on no list. `target` is another name to ask for it by. */
  choose(model: string, preferred: SpecialKind): { readonly kind: SpecialKind; readonly target: string | null } | null;
  /** Names that the operator has written, without those that are there twice: aliases, then models of the lists. */
  readonly configuredModels: readonly string[];
  readonly hasImageModels: boolean;
  readonly requestAdditions: JsonObject;
  readonly imageResponses: ImageResponses;
  readonly relay: Relay;
};

export type PassThroughDependencies = {
  /** See `UpstreamDependencies`. */
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
};

/** The way to the configured upstream; null without an address. */
export const createPassThrough = (
  configuration: PassThroughConfiguration,
  dependencies: PassThroughDependencies,
): PassThrough | null => {
  const target = upstreamTargetOf(configuration);
  if (target === null) return null;
  const { VCP_WHITELIST_EMBEDDING_MODELS: embedding, VCP_WHITELIST_IMAGE_MODELS: image } = configuration;
  const lists = createWhiteLists({ embedding, image });
  const redirects = redirectsOf(configuration.VCP_MODEL_REDIRECTS);
  return {
    upstreamKind: configuration.VCP_UPSTREAM_KIND,
    choose: (model, preferred) => {
      const other = redirects.get(model) ?? null;
      const kind = lists.kindOf(model, preferred) ?? (other === null ? null : lists.kindOf(other, preferred));
      return kind === null ? null : { kind, target: other };
    },
    configuredModels: withoutDoubles([...redirects.keys(), ...embedding, ...image]),
    hasImageModels: image.length > 0,
    requestAdditions: configuration.VCP_IMAGE_REQUEST_ADDITIONS,
    imageResponses: configuration.VCP_IMAGE_RESPONSES,
    relay: createRelay({ ...target, ...dependencies }),
  };
};

const withoutDoubles = (names: readonly string[]): readonly string[] =>
  [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed();
