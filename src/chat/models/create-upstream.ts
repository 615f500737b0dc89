import type { Limits } from '../../lib/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LanguageModel } from '../../ports/language-model.ts';
import type { Pause } from '../../ports/pause.ts';
import { createAnthropicDialect } from './anthropic.ts';
import type { UpstreamKind } from './base-url.ts';
import { createGeminiDialect } from './gemini.ts';
import { OPENAI_DIALECT } from './openai.ts';
import { redirectsOf } from './redirects-of.ts';
import { createConnection, type UpstreamFetch } from './transport/connection.ts';
import { createUpstreamModel, type VendorDialect } from './upstream-model.ts';
import { upstreamTargetOf, type TargetConfiguration } from './upstream-target.ts';
import { withRedirects } from './with-redirects.ts';
import { withRetries } from './with-retries.ts';

/** The variables of the configuration that an upstream is made of. */
export type UpstreamConfiguration = TargetConfiguration & {
  /** Pairs `alias=model`. */
  readonly VCP_MODEL_REDIRECTS: readonly string[];
};

export type UpstreamDependencies = {
  /**
   * Not the guarded one: the address is the operator's, and may be one of this machine. It must not have bounds of time
   * of its own below `upstreamRequestMs`: a model may think for minutes before the first byte.
   */
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
  readonly pause: Pause;
  readonly limits: Limits;
};

/** The model behind the configured address, with retries and other names for models; null without an address. */
export const createUpstream = (
  configuration: UpstreamConfiguration,
  dependencies: UpstreamDependencies,
): LanguageModel | null => {
  const target = upstreamTargetOf(configuration);
  if (target === null) return null;
  const { fetch, clock, limits } = dependencies;
  const connection = createConnection({ ...target, fetch, clock, limits });
  const model = withRetries(
    createUpstreamModel(dialectOf(configuration.VCP_UPSTREAM_KIND, dependencies), connection),
    dependencies,
  );
  const redirects = redirectsOf(configuration.VCP_MODEL_REDIRECTS);
  return redirects.size === 0 ? model : withRedirects(model, redirects);
};

const dialectOf = (kind: UpstreamKind, { clock, limits }: UpstreamDependencies): VendorDialect => {
  switch (kind) {
    case 'openai':
      return OPENAI_DIALECT;
    case 'anthropic':
      return createAnthropicDialect(limits);
    case 'gemini':
      return createGeminiDialect(clock);
  }
};
