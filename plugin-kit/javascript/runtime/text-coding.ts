import { decodeUtf8, encodeUtf8 } from './native.ts';

const UTF8 = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8']);

export class TextEncoder {
  readonly encoding = 'utf-8';

  encode(text = ''): Uint8Array {
    return encodeUtf8(String(text).toWellFormed());
  }
}

/** UTF-8 alone; whole inputs alone, no `stream`. */
export class TextDecoder {
  readonly encoding = 'utf-8';
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!UTF8.has(label.trim().toLowerCase())) throw new RangeError(`TextDecoder knows UTF-8 alone, not "${label}"`);
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  decode(input?: ArrayBuffer | ArrayBufferView, { stream = false } = {}): string {
    if (stream) throw new TypeError('TextDecoder decodes whole inputs alone here, without { stream: true }');
    if (input === undefined) return '';
    const bytes = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input);
    const text = decodeUtf8(bytes);
    if (this.fatal && !isSame(encodeUtf8(text.toWellFormed()), bytes)) throw new TypeError('the bytes are not UTF-8');
    return !this.ignoreBOM && text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
