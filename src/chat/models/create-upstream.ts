import type { Limits } from '../../lib/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LanguageModel } from '../../ports/language-model.ts';
import type { Pause } from '../../ports/pause.ts';
import { ANTHROPIC_VERSION, createAnthropicDialect } from './anthropic.ts';
import { baseUrlOf, type UpstreamKind } from './base-url.ts';
import { createGeminiDialect } from './gemini.ts';
import { OPENAI_DIALECT } from './openai.ts';
import { createConnection, type UpstreamFetch } from './transport/connection.ts';
import { createUpstreamModel, type VendorDialect } from './upstream-model.ts';
import { withRedirects } from './with-redirects.ts';
import { withRetries } from './with-retries.ts';

/** The variables of the configuration that an upstream is made of. */
export type UpstreamConfiguration = {
  readonly VCP_UPSTREAM_URL?: string | undefined;
  readonly VCP_UPSTREAM_KEY?: string | undefined;
  readonly VCP_UPSTREAM_KIND: UpstreamKind;
  /** Pairs `alias=model`. */
  readonly VCP_MODEL_REDIRECTS: readonly string[];
};

export type UpstreamDependencies = {
  /** Not the guarded one: the address is the operator's, and may be one of this machine. */
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
  const { VCP_UPSTREAM_URL: address, VCP_UPSTREAM_KEY: key = null, VCP_UPSTREAM_KIND: kind } = configuration;
  if (address === undefined) return null;
  const { fetch, clock, limits } = dependencies;
  const connection = createConnection({
    baseUrl: baseUrlOf(address, kind),
    headers: headersOf(kind, key),
    key,
    fetch,
    clock,
    limits,
  });
  const model = withRetries(createUpstreamModel(dialectOf(kind, dependencies), connection), dependencies);
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

/** A key is a header everywhere: in an address it would be in logs. */
const headersOf = (kind: UpstreamKind, key: string | null): Readonly<Record<string, string>> => {
  switch (kind) {
    case 'openai':
      return key === null ? {} : { authorization: `Bearer ${key}` };
    case 'anthropic':
      return { 'anthropic-version': ANTHROPIC_VERSION, ...(key === null ? {} : { 'x-api-key': key }) };
    case 'gemini':
      return key === null ? {} : { 'x-goog-api-key': key };
  }
};

const redirectsOf = (pairs: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
