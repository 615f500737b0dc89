import { ANTHROPIC_VERSION } from './anthropic.ts';
import { baseUrlOf, type UpstreamKind } from './base-url.ts';

/** The variables of the configuration that say where the upstream is. */
export type TargetConfiguration = {
  readonly VCP_UPSTREAM_URL?: string | undefined;
  readonly VCP_UPSTREAM_KEY?: string | undefined;
  readonly VCP_UPSTREAM_KIND: UpstreamKind;
};

/** Where an upstream is, and what every request to it carries. */
export type UpstreamTarget = {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The vendor's headers, the key among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Never shown. */
  readonly key: string | null;
};

/** The upstream of the configuration; null without an address. */
export const upstreamTargetOf = (configuration: TargetConfiguration): UpstreamTarget | null => {
  const { VCP_UPSTREAM_URL: address, VCP_UPSTREAM_KEY: key = null, VCP_UPSTREAM_KIND: kind } = configuration;
  return address === undefined ? null : { baseUrl: baseUrlOf(address, kind), headers: headersOf(kind, key), key };
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
