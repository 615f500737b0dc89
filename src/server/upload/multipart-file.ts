import { parse as parseDisposition } from 'content-disposition';
import { joinBytes } from '../../lib/bytes.ts';
import { BlobTooLarge } from '../../ports/resource-store.ts';
import { make, type MultipartError, type PartInfo } from 'multipasta';

/** The one file of a form. `body` fails with `MalformedForm` when the form turns out not to be one. */
export type MultipartFile = {
  readonly fileName: string | undefined;
  readonly mimeType: string | undefined;
  readonly body: ReadableStream<Uint8Array>;
};

/** A `multipart/form-data` body that is not one file. The message is for its sender. */
export class MalformedForm extends Error {
  override readonly name = 'MalformedForm';
}

/** Bytes around its file that a form may have. */
export const FORM_BYTES = 64 * 1024;

/** What RFC 2046 allows. */
const MOST_BOUNDARY_CHARACTERS = 70;

/** Bytes of a boundary with all that belongs to it, and more. */
const DELIMITER_BYTES = 256;
const CARRIAGE_RETURN = 0x0d;

/**
 * Bytes that are gathered before the parser sees any: it misreads headers that come to it in pieces, and takes no header
 * that is longer.
 */
const HEADER_BYTES = 20 * 1024;

/**
 * Reads a form up to the bytes of its file (RFC 7578). They are parsed as they are taken, so nothing piles up, however
 * large the file is. More than one part is refused, and so is a form that breaks off or, with what is no file in it, goes
 * on beyond `maxBytes` (`BlobTooLarge`).
 */
export const readMultipartFile = async (
  contentType: string,
  source: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<MultipartFile> => {
  if (boundaryLength(contentType) > MOST_BOUNDARY_CHARACTERS)
    throw new MalformedForm(`the form has a boundary of more than ${MOST_BOUNDARY_CHARACTERS} characters`);
  const reader = source.getReader();
  const pending: Uint8Array[] = [];
  let part: PartInfo | null = null;
  let fault: MultipartError | null = null;
  let hasEnded = false;
  const parser = make({
    headers: { 'content-type': contentType },
    isFile: () => true,
    maxParts: 1,
    maxTotalSize: maxBytes + FORM_BYTES,
    onField: () => undefined,
    onFile: (info) => {
      part = info;
      return (chunk) => void (chunk !== null && chunk.length > 0 && pending.push(chunk));
    },
    onError: (error) => void (fault ??= error),
    onDone: () => undefined,
  });

  /** What may be the beginning of a boundary waits for its rest: the parser misreads one that comes in pieces. */
  let held: Uint8Array = new Uint8Array();
  const feed = (chunk: Uint8Array): void => {
    const bytes = held.length === 0 ? chunk : joinBytes([held, chunk]);
    const from = Math.max(0, bytes.length - DELIMITER_BYTES);
    const start = bytes.indexOf(CARRIAGE_RETURN, from);
    const end = start === -1 ? bytes.length : start;
    held = bytes.slice(end);
    if (end > 0) parser.write(bytes.subarray(0, end));
  };

  const step = async (): Promise<void> => {
    const next = await reader.read();
    if (!next.done) return feed(next.value);
    hasEnded = true;
    if (held.length > 0) parser.write(held);
    parser.end();
  };
  const refuseFault = async (): Promise<void> => {
    if (fault === null) return;
    const { _tag: kind, limit = null } = fault as { _tag: MultipartError['_tag']; limit?: string };
    const refused = limit === 'MaxTotalSize' ? new BlobTooLarge(maxBytes) : new MalformedForm(REASONS[kind]);
    await reader.cancel(refused).catch(() => undefined);
    throw refused;
  };

  feed(await beginning(reader));
  while (part === null && fault === null && !hasEnded) await step();
  await refuseFault();
  if (part === null) throw new MalformedForm('the form has no part: send one file, as curl -F file=@NAME does');

  const { headers } = part as PartInfo;
  return {
    fileName: fileNameOf(headers['content-disposition']),
    // The parser's own word leaves the charset out.
    mimeType: [headers['content-type']].flat()[0]?.trim(),
    body: new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (pending.length === 0 && fault === null && !hasEnded) await step();
          await refuseFault();
          for (const chunk of pending.splice(0)) controller.enqueue(chunk);
          if (hasEnded) controller.close();
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    ),
  };
};

const boundaryLength = (contentType: string): number => {
  const [, quoted, plain = ''] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  return (quoted ?? plain).length;
};

const beginning = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length < HEADER_BYTES) {
    const next = await reader.read();
    if (next.done) break;
    pieces.push(next.value);
    length += next.value.length;
  }
  return joinBytes(pieces);
};

const REASONS: Record<MultipartError['_tag'], string> = {
  InvalidBoundary: 'the content-type of the form names no boundary',
  BadHeaders: 'a part of the form has headers that cannot be read',
  InvalidDisposition: 'a part of the form has no usable content-disposition',
  ReachedLimit: 'the form has more than one part: send one file and nothing else',
  EndNotReached: 'the form breaks off before its last boundary',
};

/** Browsers write the name as UTF-8 and escape quotes as `%22` (RFC 7578 §4.2). */
const fileNameOf = (disposition: string | string[] | undefined): string | undefined =>
  typeof disposition === 'string'
    ? parseDisposition(disposition, { multipart: true }).parameters['filename']
    : undefined;
