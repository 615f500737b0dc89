import { decodeUtf8, encodeUtf8, failure, Json, Payload, success } from 'vcp-plugin';
import { fromBase64 } from './base64';
import { fromHex } from './hex';
import { fromHtml } from './html';
import { fromPercent } from './percent';

export function decode(args: Json): Payload {
  const text = args.getString('text');
  const format = args.getString('format');
  if (format == 'html') return answer(fromHtml(text), format);
  const bytes = bytesOf(text, format);
  if (bytes === null) return failure('TEXT.NOT_ENCODED', `this is no ${format}; check that it is whole`, 'text');
  const decoded = decodeUtf8(bytes);
  if (decoded === null) {
    const message = `it decodes to ${bytes.length} bytes that are no UTF-8 text; they may be a picture or an archive`;
    return failure('TEXT.NOT_UTF8', message, 'text');
  }
  return answer(decoded, format);
}

/** The bytes that a text stands for; null when it is not in that format. */
export function bytesOf(text: string, format: string): Uint8Array | null {
  if (format == 'hex') return fromHex(text);
  if (format == 'percent') return fromPercent(encodeUtf8(text));
  if (format == 'text') return encodeUtf8(text);
  return fromBase64(text);
}

function answer(text: string, format: string): Payload {
  return success(Json.object().set('text', text)).summary(`Text out of ${format}`);
}
