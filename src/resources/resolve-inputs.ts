import type { Failure } from '../lib/failure.ts';
import { failureOfIssues } from '../lib/failure.ts';
import { formatBytes } from '../lib/bytes.ts';
import { parseDataUri } from '../lib/data-uri.ts';
import { pointerToTarget, shortPointer, toJsonPointer } from '../lib/json-pointer.ts';
import type { ResourceAddresses } from '../lib/resource-addresses.ts';
import { replaceAt, type Replacement } from '../lib/replace-at.ts';
import { resourcePlaces, type ResourcePlace } from '../lib/resource-places.ts';
import type { CallStore, StoredResource } from '../ports/call-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { InputResource } from '../ports/transport.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { DeliveredResource, ResourceConstraint } from '../protocol/resource-input.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import { describeUpload } from './describe-upload.ts';
import type { ResourceDependencies } from './resource-context.ts';

export type ResolvedInputs =
  | {
      readonly ok: true;
      /** The arguments as the tool gets them: what named a resource says now which. */
      readonly arguments: JsonObject;
      readonly inputs: ReadonlyMap<string, InputResource>;
    }
  | { readonly ok: false; readonly failure: Failure };

/** Whose call it is: what it leaves behind belongs to `owner`; `maySee` says whose resources it may use. */
export type InputScope = { readonly owner: string; maySee(owner: string): boolean };

export type InputDependencies = {
  readonly resources: ResourceDependencies;
  readonly addresses: ResourceAddresses;
  readonly calls: CallStore;
  readonly clock: Clock;
};

/**
 * Finds the resources that arguments name, wherever the input schema declares one: by id, reference, or address of this
 * server; the bytes of a data URI are stored as a resource of the caller. What the caller may not see is not told from
 * what is not there.
 */
export const resolveInputs = async (
  inputSchema: JsonValue,
  args: JsonObject,
  scope: InputScope,
  dependencies: InputDependencies,
): Promise<ResolvedInputs> => {
  const places = resourcePlaces(inputSchema, args);
  const { limits } = dependencies.resources;
  if (places.length > limits.resourcesPerResult) {
    const message = `the arguments name more than ${limits.resourcesPerResult} resources`;
    return { ok: false, failure: { code: 'INVALID_ARGUMENT', message } };
  }
  const inputs = new Map<string, InputResource>();
  const replacements: Replacement[] = [];
  let totalBytes = 0;
  for (const place of places) {
    const found = await findResource(place, scope, dependencies);
    if (typeof found === 'string') return refuse('INVALID_ARGUMENT', place, found, limits.reportedIssues);
    const misfit = misfitOf(found, place.constraints);
    if (misfit !== null) return refuse(misfit.code, place, misfit.message, limits.reportedIssues);
    totalBytes += found.sizeBytes ?? 0;
    if (totalBytes > limits.resourceBytesPerResult) {
      const message = `makes the resources of the call larger than ${formatBytes(limits.resourceBytesPerResult)} together`;
      return refuse('RESOURCE_TOO_LARGE', place, message, limits.reportedIssues);
    }
    inputs.set(found.id, inputOf(found, dependencies));
    replacements.push({ path: place.path, value: deliveredOf(found) });
  }
  return { ok: true, arguments: replaceAt(args, replacements) as JsonObject, inputs };
};

const NOT_THERE = 'names no resource that this caller may use';

/** The descriptor, or what is wrong with the argument. */
const findResource = async (
  { given }: ResourcePlace,
  scope: InputScope,
  dependencies: InputDependencies,
): Promise<ResourceDescriptor | string> => {
  const text = typeof given === 'string' ? given : given.$resource;
  if (/^data:/i.test(text)) return await keepDataUri(text, scope, dependencies);
  const { addresses, calls } = dependencies;
  const address = /^https?:/i.test(text) ? addresses.read(text) : { id: text, signature: null };
  if (address === null)
    return 'is no address of a resource of this server; upload the file (vcp resources put) and give its id';
  const verdict = address.signature === null ? null : await addresses.judge(address.id, address.signature);
  if (verdict === 'expired') return 'is an address that has expired; ask for a new one';
  if (verdict === 'forged') return 'is an address whose signature is not right';
  const stored: StoredResource | null = await calls.getResource(address.id);
  if (stored === null || (verdict !== 'valid' && !scope.maySee(stored.owner))) return NOT_THERE;
  const { sha256 } = stored.descriptor;
  if (sha256 === null) return 'names an external resource, whose bytes are not kept here';
  // Whatever happens to its row while the call runs, the bytes stay.
  if (!(await dependencies.resources.store.keep(sha256))) return NOT_THERE;
  return stored.descriptor;
};

const keepDataUri = async (
  uri: string,
  { owner }: InputScope,
  { resources, calls, clock }: InputDependencies,
): Promise<ResourceDescriptor | string> => {
  const { store, limits } = resources;
  const parsed = parseDataUri(uri);
  if (!parsed.ok) return `is a data URI that cannot be decoded: ${parsed.reason}`;
  if (parsed.bytes.length > limits.resourceBytes) return `is larger than ${formatBytes(limits.resourceBytes)}`;
  const blob = await store.put(parsed.bytes, { maxBytes: limits.resourceBytes });
  const given = { fileName: undefined, mimeType: parsed.mimeType, sourceType: 'argument' };
  const descriptor = await describeUpload(blob, given, resources);
  await calls.saveResource({ descriptor, owner, resultId: null, createdAt: new Date(clock.now()).toISOString() });
  return descriptor;
};

type Misfit = { readonly code: 'UNSUPPORTED_MEDIA_TYPE' | 'RESOURCE_TOO_LARGE'; readonly message: string };

const misfitOf = (resource: ResourceDescriptor, constraints: readonly ResourceConstraint[]): Misfit | null => {
  const misfits = constraints.map((constraint) => misfitWith(resource, constraint));
  return misfits.includes(null) ? null : (misfits[0] ?? null);
};

const misfitWith = (
  { kind, mimeType, sizeBytes }: ResourceDescriptor,
  { kinds, mediaTypes, maxBytes }: ResourceConstraint,
): Misfit | null => {
  const essence = (mimeType.split(';')[0] as string).trim().toLowerCase();
  if (kinds !== undefined && !kinds.includes(kind)) {
    const message = `must be of kind ${kinds.join(' or ')}, and is of kind ${kind} (${essence})`;
    return { code: 'UNSUPPORTED_MEDIA_TYPE', message };
  }
  if (mediaTypes !== undefined && !mediaTypes.some((type) => matches(essence, type.toLowerCase()))) {
    return { code: 'UNSUPPORTED_MEDIA_TYPE', message: `must be ${mediaTypes.join(' or ')}, and is ${essence}` };
  }
  if (maxBytes !== undefined && (sizeBytes ?? 0) > maxBytes) {
    const message = `must have at most ${formatBytes(maxBytes)}, and has ${formatBytes(sizeBytes ?? 0)}`;
    return { code: 'RESOURCE_TOO_LARGE', message };
  }
  return null;
};

const matches = (essence: string, type: string): boolean =>
  type.endsWith('/*') ? essence.startsWith(type.slice(0, -1)) : essence === type;

/** A resource as a call is given it; its bytes are read when they are asked for. */
export const inputOf = (
  descriptor: ResourceDescriptor,
  { resources }: Pick<InputDependencies, 'resources'>,
): InputResource => ({
  descriptor,
  open: async (range) => {
    const stream = await resources.store.get(descriptor.sha256 as string, range);
    if (stream === null) throw new Error(`the bytes of ${descriptor.id} are not kept any more`);
    return stream;
  },
});

const deliveredOf = ({ id, fileName, mimeType, sizeBytes }: ResourceDescriptor): JsonValue =>
  ({ $resource: id, fileName, mimeType, sizeBytes: sizeBytes ?? 0 }) satisfies DeliveredResource;

const refuse = (
  code: 'INVALID_ARGUMENT' | Misfit['code'],
  { path }: ResourcePlace,
  message: string,
  reportedIssues: number,
): ResolvedInputs => {
  const pointer = toJsonPointer(path);
  if (code === 'INVALID_ARGUMENT') {
    const summary = 'a resource among the arguments cannot be used';
    return { ok: false, failure: failureOfIssues(code, summary, [{ pointer, message }], reportedIssues) };
  }
  const shown = shortPointer(pointer);
  const failure = { code, message: `${shown} ${message}`, target: pointerToTarget(shown), details: { pointer: shown } };
  return { ok: false, failure };
};
