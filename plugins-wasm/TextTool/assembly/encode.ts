import { encodeUtf8, Json, Payload, success } from 'vcp-plugin';
import { toBase64 } from './base64';
import { toHex } from './hex';
import { toHtml } from './html';
import { toPercent } from './percent';

export function encode(args: Json): Payload {
  const format = args.getString('format');
  const text = encoded(args.getString('text'), format);
  return success(Json.object().set('text', text)).summary(`Text as ${format}`);
}

function encoded(text: string, format: string): string {
  if (format == 'html') return toHtml(text);
  const bytes = encodeUtf8(text);
  if (format == 'hex') return toHex(bytes);
  if (format == 'percent') return toPercent(bytes);
  return toBase64(bytes, format == 'base64url');
}
