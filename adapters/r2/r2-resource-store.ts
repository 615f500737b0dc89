import { sha256Of } from '../../src/lib/sha256.ts';
import { toHex } from '../../src/lib/to-hex.ts';
import { BlobTooLarge, type ListedBlob, type ResourceStore, type StoredBlob } from '../../src/ports/resource-store.ts';
import { gatherParts } from './gather-parts.ts';
import type { R2BucketLike, R2PartLike, R2UploadLike } from './r2-bucket.ts';

/** A hash that takes its bytes a piece at a time, which WebCrypto has not got. */
export type RunningHash = { update(bytes: Uint8Array): void; digest(): Promise<Uint8Array> };

export type R2ResourceStoreOptions = {
  readonly bucket: R2BucketLike;
  newHash(): RunningHash;
  /** A name that nobody else makes. */
  newName(): string;
};

/** The parts of an upload but for the last must be alike, and no smaller than this. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Blobs as objects named by their SHA-256. What fits into one part is written at once; a longer stream becomes an object
 * beside its place first, since its hash is known at its end only, and is copied there: an object appears whole or not at
 * all.
 *
 * An object cannot be touched, so that an empty one beside it (`touched/`) tells when it was kept last. Nor can it be
 * removed on a condition: the collector copies it aside, removes it, looks at its age once more and puts it back if
 * somebody has touched it meanwhile. Whoever keeps a blob writes the mark before the look, so that one of the two sees the
 * other. Readers find it aside too.
 */
export const createR2ResourceStore = ({ bucket, newHash, newName }: R2ResourceStoreOptions): ResourceStore => {
  const find = async (sha256: string) =>
    (await bucket.head(blobKey(sha256))) ??
    (await bucket.head(asideKey(sha256))) ??
    (await bucket.head(blobKey(sha256)));

  /** Copies an object; false when there is none. Its bytes are known by their hash, so a copy that differs is refused. */
  const copy = async (from: string, to: string, sha256: string): Promise<boolean> => {
    const object = await bucket.get(from);
    if (object === null) return false;
    await bucket.put(to, object.body, { sha256 });
    return true;
  };

  const touchedAt = async (sha256: string): Promise<number | null> => {
    const [object, mark] = await Promise.all([bucket.head(blobKey(sha256)), bucket.head(touchedKey(sha256))]);
    return object === null ? null : Math.max(object.uploaded.getTime(), mark?.uploaded.getTime() ?? 0);
  };

  const putBytes = async (bytes: Uint8Array, sha256: string): Promise<StoredBlob> => {
    await bucket.put(blobKey(sha256), bytes, { sha256 });
    return { sha256, sizeBytes: bytes.length };
  };

  const putStream = async (source: ReadableStream<Uint8Array>, maxBytes: number): Promise<StoredBlob> => {
    const hash = newHash();
    const incoming = `incoming/${newName()}`;
    let upload: R2UploadLike | null = null;
    const parts: R2PartLike[] = [];
    let sizeBytes = 0;
    try {
      for await (const part of gatherParts(source, PART_BYTES, maxBytes)) {
        hash.update(part);
        sizeBytes += part.length;
        const isLast = part.length < PART_BYTES;
        if (isLast && upload === null) return await putBytes(part, toHex(await hash.digest()));
        upload ??= await bucket.createMultipartUpload(incoming);
        if (part.length > 0) parts.push(await upload.uploadPart(parts.length + 1, part));
      }
      const sha256 = toHex(await hash.digest());
      await upload?.complete(parts);
      upload = null;
      await copy(incoming, blobKey(sha256), sha256);
      return { sha256, sizeBytes };
    } finally {
      await upload?.abort().catch(() => undefined);
      if (parts.length > 0) await bucket.delete(incoming);
    }
  };

  return {
    put: async (source, { maxBytes }) => {
      if (!(source instanceof Uint8Array)) return await putStream(source, maxBytes);
      if (source.length > maxBytes) throw new BlobTooLarge(maxBytes);
      // What the caller does with its bytes from now on is its own affair.
      const bytes = source.slice();
      return await putBytes(bytes, await sha256Of(bytes));
    },
    get: async (sha256, range) => {
      for (const key of [blobKey(sha256), asideKey(sha256), blobKey(sha256)]) {
        const body = await bodyOf(bucket, key, range);
        if (body !== null) return body;
      }
      return null;
    },
    stat: async (sha256) => {
      const found = await find(sha256);
      return found === null ? null : { sha256, sizeBytes: found.size };
    },
    keep: async (sha256) => {
      if ((await find(sha256)) === null) return false;
      await bucket.put(touchedKey(sha256), '');
      if ((await bucket.head(blobKey(sha256))) !== null) return true;
      // The collector has it aside, and may have looked already.
      if (await copy(asideKey(sha256), blobKey(sha256), sha256)) return true;
      return (await bucket.head(blobKey(sha256))) !== null;
    },
    list: () => listBlobs(bucket),
    collect: async (sha256, touchedBefore) => {
      const isOld = (time: number | null) => time !== null && time < touchedBefore;
      if (!isOld(await touchedAt(sha256))) return false;
      if (!(await copy(blobKey(sha256), asideKey(sha256), sha256))) return false;
      if (!isOld(await touchedAt(sha256))) {
        await bucket.delete(asideKey(sha256));
        return false;
      }
      await bucket.delete(blobKey(sha256));
      const mark = await bucket.head(touchedKey(sha256));
      const isTouched = mark !== null && mark.uploaded.getTime() >= touchedBefore;
      if (isTouched) await copy(asideKey(sha256), blobKey(sha256), sha256);
      await bucket.delete(isTouched ? asideKey(sha256) : [asideKey(sha256), touchedKey(sha256)]);
      return !isTouched;
    },
  };
};

const BLOBS = 'blobs/';
const TOUCHED = 'touched/';

/** A hash becomes a key; nothing else may. */
const checked = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('not a SHA-256 in hexadecimal');
  return sha256;
};
const blobKey = (sha256: string): string => `${BLOBS}${checked(sha256)}`;
const asideKey = (sha256: string): string => `aside/${checked(sha256)}`;
const touchedKey = (sha256: string): string => `${TOUCHED}${checked(sha256)}`;

/** The bytes of an object, as far as there are any within the range. */
const bodyOf = async (
  bucket: R2BucketLike,
  key: string,
  range: { readonly start: number; readonly end: number } | undefined,
): Promise<ReadableStream<Uint8Array> | null> => {
  if (range === undefined) return (await bucket.get(key))?.body ?? null;
  const object = await bucket.head(key);
  if (object === null) return null;
  const length = Math.min(range.end, object.size - 1) - range.start + 1;
  if (length <= 0) return new Blob([]).stream();
  return (await bucket.get(key, { range: { offset: range.start, length } }))?.body ?? null;
};

/** Marks and objects are both listed in the order of their names, so one walk sees both. */
async function* listBlobs(bucket: R2BucketLike): AsyncGenerator<ListedBlob> {
  const marks = listObjects(bucket, TOUCHED);
  let mark = await marks.next();
  for await (const { key, size, uploaded } of listObjects(bucket, BLOBS)) {
    const sha256 = key.slice(BLOBS.length);
    while (!mark.done && mark.value.key.slice(TOUCHED.length) < sha256) mark = await marks.next();
    const kept = !mark.done && mark.value.key.slice(TOUCHED.length) === sha256 ? mark.value.uploaded.getTime() : 0;
    yield { sha256, sizeBytes: size, touchedAt: Math.max(uploaded.getTime(), kept) };
  }
}

async function* listObjects(bucket: R2BucketLike, prefix: string) {
  for (let cursor: string | undefined; ;) {
    const page = await bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.objects;
    if (!page.truncated || page.cursor === undefined) return;
    ({ cursor } = page);
  }
}
