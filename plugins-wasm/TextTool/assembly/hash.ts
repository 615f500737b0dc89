import { failure, Json, Payload, success } from 'vcp-plugin';
import { crc32 } from './crc32';
import { bytesOf } from './decode';
import { toHex } from './hex';
import { md5 } from './md5';
import { sha1 } from './sha1';
import { sha256 } from './sha256';

export function hash(args: Json): Payload {
  const inputFormat = args.getString('inputFormat', 'text');
  const bytes = bytesOf(args.getString('text'), inputFormat);
  if (bytes === null) return failure('TEXT.NOT_ENCODED', `this is no ${inputFormat}; check that it is whole`, 'text');
  const algorithm = args.getString('algorithm', 'sha256');
  const data = Json.object()
    .set('algorithm', algorithm)
    .set('hash', toHex(digest(bytes, algorithm)))
    .set('bytes', bytes.length);
  const payload = success(data).summary(`${algorithm} of ${bytes.length} bytes`);
  if (algorithm != 'sha256') payload.warn('NOT_FOR_SECURITY', algorithm + ' shows accidents, not forgery; sha256 does');
  return payload;
}

function digest(bytes: Uint8Array, algorithm: string): Uint8Array {
  if (algorithm == 'sha1') return sha1(bytes);
  if (algorithm == 'md5') return md5(bytes);
  if (algorithm == 'crc32') return crc32(bytes);
  return sha256(bytes);
}
