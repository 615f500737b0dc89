import { formatBytes } from '../../lib/bytes.ts';
import type { MediaRules } from '../../ports/media-rules.ts';
import type { ResourceDescriptor } from '../../protocol/resource.ts';
import type { AiView } from '../ai/ai-view.ts';

/** How the bytes of one resource reach a model. */
export type CarriedMedia =
  | { readonly by: 'url'; readonly kind: 'image' | 'audio'; readonly mimeType: string; readonly url: string }
  | { readonly by: 'bytes'; readonly kind: 'image' | 'audio'; readonly mimeType: string; readonly base64: string }
  | { readonly by: 'nothing'; readonly reason: string };

export type MediaPorts = {
  /** An address that the model's vendor can fetch, such as a signed one; null when there is none. */
  urlOf(resource: ResourceDescriptor): string | null | Promise<string | null>;
  /**
   * The bytes of a resource, or why there are none; null when they have gone. Asked only for what is no larger than
   * `maxInlineBytes`.
   */
  readBytes(resource: ResourceDescriptor): Promise<Uint8Array | { readonly missing: string } | null>;
};

/** A part of a view, ready to be put into a vendor's words. */
export type CarriedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly resource: ResourceDescriptor; readonly media: CarriedMedia };

/** Bytes up to which a resource is sent along within a request. */
export const MAX_INLINE_BYTES = 4 * 1024 * 1024;

/**
 * The parts of an AI view with their media (§8.6): by address where the vendor fetches it, or else as Base64 that is read
 * at this moment, when it is small enough. What can be carried in no way says why; it is never dropped without a word.
 */
export const carryMedia = async (
  view: AiView,
  resources: readonly ResourceDescriptor[],
  rules: MediaRules,
  ports: MediaPorts,
  maxInlineBytes: number = MAX_INLINE_BYTES,
): Promise<readonly CarriedPart[]> =>
  await Promise.all(
    view.content.map(async (part): Promise<CarriedPart> => {
      if (part.type === 'text') return part;
      const resource = resources.find(({ id }) => id === part.resourceId);
      if (resource === undefined) return { type: 'text', text: `(${part.resourceId} is not among the resources)` };
      return { type: 'media', resource, media: await carry(part.type, resource, rules, ports, maxInlineBytes) };
    }),
  );

const carry = async (
  kind: 'image' | 'audio',
  resource: ResourceDescriptor,
  { byUrl, byBytes }: MediaRules,
  ports: MediaPorts,
  maxInlineBytes: number,
): Promise<CarriedMedia> => {
  const mimeType = resource.mimeType.replace(/\s*;.*$/s, '').toLowerCase();
  const url = byUrl.includes(mimeType) ? await ports.urlOf(resource) : null;
  if (url !== null) return { by: 'url', kind, mimeType, url };
  if (!byBytes.includes(mimeType))
    return { by: 'nothing', reason: `${mimeType} is not taken by this model's interface` };
  const { sizeBytes } = resource;
  if (sizeBytes === null || sizeBytes > maxInlineBytes)
    return { by: 'nothing', reason: `it is larger than ${formatBytes(maxInlineBytes)}` };
  const bytes = await ports.readBytes(resource);
  if (bytes === null) return { by: 'nothing', reason: 'its bytes are not there any more' };
  if ('missing' in bytes) return { by: 'nothing', reason: bytes.missing };
  return { by: 'bytes', kind, mimeType, base64: toBase64(bytes) };
};

/** Pieces whose length is a multiple of three join without padding between them. */
const PIECE = 0x6000;

const toBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return text;
};

/**
 * What a model is told in place of a resource that it cannot be given. The view's text names the file, as far as it may
 * be read.
 */
export const notAttached = ({ id }: ResourceDescriptor, reason: string): string => `(${id} is not attached: ${reason})`;
