import { decodeBase64 } from '../lib/base64.ts';

/**
 * Whether one of the signatures of a `webhook-signature` header is right (Standard Webhooks: `v1,` and the Base64 of an
 * HMAC with SHA-256 over id, time and body, joined by points). The key is the token of the task, as text.
 */
export const isRightSignature = async (
  header: string,
  {
    id,
    timestamp,
    body,
    token,
  }: { readonly id: string; readonly timestamp: string; readonly body: string; readonly token: string },
): Promise<boolean> => {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(token), hmac, false, ['verify']);
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  for (const one of header.split(' ').slice(0, MOST_SIGNATURES)) {
    const text = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1];
    const decoded = text === undefined ? null : decodeBase64(text);
    // `verify` compares in constant time.
    if (decoded?.ok === true && (await crypto.subtle.verify('HMAC', key, new Uint8Array(decoded.bytes), signed)))
      return true;
  }
  return false;
};

/** A sender that changes its key signs with both. */
const MOST_SIGNATURES = 8;
