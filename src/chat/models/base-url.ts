export type UpstreamKind = 'openai' | 'anthropic' | 'gemini';

/** Where the vendors have their interfaces, below the host. */
const USUAL_PATHS: Readonly<Record<UpstreamKind, string>> = { openai: '/v1', anthropic: '/v1', gemini: '/v1beta' };

/** Ends that people copy along with the address. */
const ENDPOINTS = /\/(?:chat\/completions|messages|models)\/?$/;

/** The address that paths are put behind: without a slash at its end, and with the usual path where there is none. */
export const baseUrlOf = (address: string, kind: UpstreamKind): string => {
  const url = new URL(address);
  const path = url.pathname.replace(ENDPOINTS, '').replace(/\/+$/, '');
  return `${url.origin}${path === '' ? USUAL_PATHS[kind] : path}`;
};
