import type { Limits } from './limits.ts';

/** The query of a signed address, as it came. */
export type LinkSignature = { readonly exp: string; readonly sig: string };

/** `expired` is one that was right until its time was over. */
export type LinkVerdict = 'valid' | 'expired' | 'forged';

/** Where resources of this server are found, and who may follow an address without a key (§7.6). */
export type ResourceAddresses = {
  /** The managed address, which needs a key. */
  urlOf(id: string, fileName: string): string;
  /** An address that opens this one resource to whoever has it, until `expiresAt` (milliseconds since the epoch, cut to seconds). */
  signedUrlOf(id: string, fileName: string, expiresAt: number): Promise<string>;
  judge(id: string, signature: LinkSignature): Promise<LinkVerdict>;
  /** What an address of this server names; null for any other text. */
  read(url: string): { readonly id: string; readonly signature: LinkSignature | null } | null;
};

export type AddressOptions = {
  /** Where clients reach this server, without a slash at the end. Asked each time: it is known once the server listens. */
  baseUrl(): string;
  /** The first signs, all verify: a new secret is put in front, and the old one goes when its last link has expired. */
  readonly secrets: readonly [string, ...string[]];
  readonly limits: Pick<Limits, 'linkMs'>;
  now(): number;
};

/** What is signed begins with this, so that a signature of another purpose under the same secret is none of a link. */
const PURPOSE = 'vcp-resource-link-1';

export const createResourceAddresses = ({ baseUrl, secrets, limits, now }: AddressOptions): ResourceAddresses => {
  const keys = secrets.map((secret) => hmacKey(secret));
  const [signingKey] = keys as [Promise<CryptoKey>];
  const urlOf = (id: string, fileName: string) =>
    `${baseUrl()}/v1/resources/${id}/${encodeURIComponent(fileName.toWellFormed())}`;

  return {
    urlOf,
    signedUrlOf: async (id, fileName, expiresAt) => {
      const exp = String(Math.floor(expiresAt / 1_000));
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', await signingKey, signedText(id, exp)));
      return `${urlOf(id, fileName)}?exp=${exp}&sig=${base64Url(bytes)}`;
    },
    judge: async (id, { exp, sig }) => {
      const signature = fromBase64Url(sig);
      if (signature === null || !/^\d{1,12}$/.test(exp)) return 'forged';
      // `verify` compares in constant time.
      const verdicts = await Promise.all(
        keys.map(async (key) => crypto.subtle.verify('HMAC', await key, signature, signedText(id, exp))),
      );
      if (!verdicts.includes(true)) return 'forged';
      const left = Number(exp) * 1_000 - now();
      // The limit holds for links that were made before it was lowered, too.
      return left > 0 && left <= limits.linkMs ? 'valid' : 'expired';
    },
    read: (text) => {
      const url = URL.parse(text);
      const base = URL.parse(baseUrl());
      if (url === null || base === null || url.origin !== base.origin) return null;
      const path = base.pathname.replace(/\/$/, '');
      if (!url.pathname.startsWith(`${path}/`)) return null;
      const id = /^\/v1\/resources\/(res_[0-9A-Z]{26})(?:\/[^/]*)?$/.exec(url.pathname.slice(path.length))?.[1];
      if (id === undefined) return null;
      const [exp, sig] = [url.searchParams.get('exp'), url.searchParams.get('sig')];
      return { id, signature: exp === null || sig === null ? null : { exp, sig } };
    },
  };
};

const encoder = new TextEncoder();

const signedText = (id: string, exp: string) => encoder.encode(`${PURPOSE}\n${id}\n${exp}`);

const hmacKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

/** RFC 4648 §5 without padding. */
const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The 32 bytes of a signature; null for anything else. */
const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> | null => {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return null;
  const binary = atob(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`);
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  // The last character has bits to spare: only one spelling of a signature is right.
  return base64Url(bytes) === text ? bytes : null;
};
