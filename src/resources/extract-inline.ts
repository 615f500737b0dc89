import { decodeBase64 } from '../lib/base64.ts';
import { formatBytes } from '../lib/bytes.ts';
import { parseDataUri } from '../lib/data-uri.ts';
import { excerpt } from '../lib/excerpt.ts';
import { giveBack } from '../lib/give-back.ts';
import { pointerToTarget, shortPointer, toJsonPointer } from '../lib/json-pointer.ts';
import { replaceAt, type Replacement } from '../lib/replace-at.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import type { SchemaPlace } from './declared-base64.ts';
import { describeBlob, HEAD_BYTES } from './describe-blob.ts';
import { findInline, MOST_INLINE_FIELDS, type InlineCandidate } from './find-inline.ts';
import { typeByMagic } from './media-type.ts';
import type { ResourceDependencies } from './resource-context.ts';

/** A text that became a resource: where it stood, and the text itself. */
export type InlineField = { readonly path: readonly (string | number)[]; readonly text: string };

export type Extraction = {
  readonly value: JsonValue;
  readonly descriptors: readonly ResourceDescriptor[];
  readonly fields: readonly InlineField[];
  readonly warnings: readonly Warning[];
};

/** What a result may still have of resources and of their bytes. */
export type ResourceBudget = { readonly resources: number; readonly bytes: number };

/**
 * Takes files out of a value that stand in it as text (§7.5): each becomes a resource, and its field a reference. Equal
 * texts are one resource, decoded once. A text that cannot be decoded, or for which the budget has no room, stays and is
 * warned about: the tool has acted by now, and what it gave is not lost for its size.
 */
export const extractInline = async (
  root: JsonValue,
  schema: SchemaPlace | null,
  at: string,
  budget: ResourceBudget,
  dependencies: ResourceDependencies,
): Promise<Extraction> => {
  const known = new Map<string, ResourceDescriptor | string>();
  const texts = new Map<ResourceDescriptor, InlineCandidate[]>();
  const warnings: Warning[] = [];
  const replacements: Replacement[] = [];
  const fields: InlineField[] = [];
  const { reportedIssues } = dependencies.limits;
  let bytes = 0;
  let kept = 0;
  const candidates = findInline(root, schema);
  if (candidates.length > MOST_INLINE_FIELDS)
    warnings.push(notExtracted(at, `the rest of ${MOST_INLINE_FIELDS} and more files as text was left as it is`));
  for (const candidate of candidates.slice(0, MOST_INLINE_FIELDS)) {
    const pointer = `${at}${toJsonPointer(candidate.path)}`;
    let outcome = known.get(candidate.text);
    // What only began like a file elsewhere may be declared as one here.
    if (outcome === undefined || (outcome === NOT_A_FILE && candidate.form === 'declared')) {
      const room = { resources: budget.resources - texts.size, bytes: budget.bytes - bytes };
      const taken = await publishText(candidate, pointer, room, dependencies);
      outcome = typeof taken === 'string' ? taken : taken.descriptor;
      known.set(candidate.text, outcome);
      if (typeof taken === 'object') {
        bytes += taken.descriptor.sizeBytes ?? 0;
        texts.set(taken.descriptor, []);
        warnings.push(...taken.warnings);
      }
    }
    if (typeof outcome === 'string') {
      kept += outcome === NOT_A_FILE ? 0 : 1;
      if (outcome !== NOT_A_FILE && kept <= reportedIssues) warnings.push(notExtracted(pointer, outcome));
      continue;
    }
    texts.get(outcome)?.push(candidate);
    replacements.push({ path: candidate.path, value: { $resource: outcome.id } });
    fields.push({ path: candidate.path, text: candidate.text });
  }
  for (const [descriptor, places] of texts) warnings.push(extracted(descriptor, places, at, reportedIssues));
  return {
    value: replacements.length === 0 ? root : replaceAt(root, replacements),
    descriptors: [...texts.keys()],
    fields,
    warnings,
  };
};

type Published = { readonly descriptor: ResourceDescriptor; readonly warnings: readonly Warning[] };

/** Says of a text that only begins like a file: it is an ordinary text, and nobody needs to hear of it. */
const NOT_A_FILE = '';

/** The resource, or why the text stays what it is. */
const publishText = async (
  { text, form, mediaType }: InlineCandidate,
  pointer: string,
  room: ResourceBudget,
  dependencies: ResourceDependencies,
): Promise<Published | string> => {
  const maxBytes = dependencies.limits.resourceBytes;
  const tooLarge = left(`it is larger than ${formatBytes(maxBytes)}`);
  // Base64 decodes to three quarters of its length: what cannot fit is not decoded.
  if (form !== 'data-uri' && text.length * 0.74 > maxBytes + 1_024) return form === 'declared' ? tooLarge : NOT_A_FILE;
  const decoded = form === 'data-uri' ? parseDataUri(text) : decodeBase64(text);
  if (!decoded.ok) return `what seems to be a file as text cannot be decoded and was left as it is: ${decoded.reason}`;
  const { bytes } = decoded;
  if (form === 'signature' && (await typeByMagic(bytes.subarray(0, 4_100))) === null) return NOT_A_FILE;
  if (bytes.length > maxBytes) return tooLarge;
  if (room.resources < 1) return left('the result has as many resources as it may have');
  if (bytes.length > room.bytes) return left('the resources of the result would be too large with it');
  const dataUri = 'mimeType' in decoded ? (decoded.mimeType as string | null) : null;
  const head = bytes.slice(0, HEAD_BYTES);
  const blob = await dependencies.store.put(bytes, { maxBytes });
  giveBack(bytes);
  const declared = { dataUri, plugin: mediaType ?? undefined };
  const draft = { id: nameOf(pointer), role: 'output' as const };
  return await describeBlob({ blob, declared, head }, draft, pointer, dependencies);
};

const left = (reason: string): string => `a file as text was left as it is: ${reason}`;

/** The last key on the way that is a word: `/data/items/0/cover` is a cover. */
const nameOf = (pointer: string): string =>
  pointer.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step)) ?? 'resource';

const extracted = (
  { id, mimeType, sizeBytes }: ResourceDescriptor,
  candidates: readonly InlineCandidate[],
  at: string,
  most: number,
): Warning => {
  const pointers = candidates.slice(0, most).map(({ path }) => shortPointer(`${at}${toJsonPointer(path)}`));
  const details: JsonObject = { resourceId: id, pointers, fieldCount: candidates.length };
  return {
    code: 'INLINE_EXTRACTED',
    message: `${mimeType} of ${formatBytes(sizeBytes ?? 0)} stood in ${candidates.length === 1 ? 'a field' : `${candidates.length} fields`} as text; a file belongs in resources`,
    target: excerpt(pointerToTarget(pointers[0] ?? at), 1_000),
    details,
  };
};

const notExtracted = (pointer: string, message: string): Warning => ({
  code: 'INLINE_NOT_EXTRACTED',
  message,
  target: excerpt(pointerToTarget(shortPointer(pointer)), 1_000),
  details: { pointer: shortPointer(pointer) },
});
