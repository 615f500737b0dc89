import { Bytes } from './bytes';
import { Colour } from './colour';
import { deflate } from './deflate';
import { QrSymbol } from './symbol';

/** A symbol as a PNG of two colours, one bit a pixel. */
export function pngOf(symbol: QrSymbol, scale: i32, quietZone: i32, dark: Colour, light: Colour): Uint8Array {
  const width = (symbol.size + 2 * quietZone) * scale;
  const png = new Bytes();
  png.push32(0x89504e47);
  png.push32(0x0d0a1a0a);

  const header = new Bytes();
  header.push32(width);
  header.push32(width);
  header.push(1); // bit a pixel
  header.push(3); // colours out of a palette
  for (let zero = 0; zero < 3; zero++) header.push(0);
  chunk(png, 'IHDR', header.view());

  const palette = new Bytes();
  pushColour(palette, light);
  pushColour(palette, dark);
  chunk(png, 'PLTE', palette.view());
  if (light.isTransparent) {
    const alpha = new Bytes();
    alpha.push(0);
    chunk(png, 'tRNS', alpha.view());
  }
  chunk(png, 'IDAT', deflate(rowsOf(symbol, width, scale, quietZone)));
  chunk(png, 'IEND', new Uint8Array(0));
  return png.view();
}

function pushColour(bytes: Bytes, colour: Colour): void {
  bytes.push(colour.red);
  bytes.push(colour.green);
  bytes.push(colour.blue);
}

/** Rows of pixels, each as its difference to the one above it: all zeros where they are the same. */
function rowsOf(symbol: QrSymbol, width: i32, scale: i32, quietZone: i32): Uint8Array {
  const stride = (width + 7) / 8;
  const rows = new Uint8Array(width * (stride + 1));
  let above = new Uint8Array(stride);
  let row = new Uint8Array(stride);
  for (let y = 0; y < width; y++) {
    const start = y * (stride + 1);
    rows[start] = 2; // the filter "up"
    if (y % scale != 0) continue;
    drawRow(row, symbol, y / scale - quietZone, scale, quietZone);
    // A difference of whole bytes, as the filter has it.
    for (let at = 0; at < stride; at++) rows[start + 1 + at] = row[at] - above[at];
    const spare = above;
    above = row;
    row = spare;
  }
  return rows;
}

function drawRow(row: Uint8Array, symbol: QrSymbol, y: i32, scale: i32, quietZone: i32): void {
  row.fill(0);
  if (y < 0 || y >= symbol.size) return;
  for (let x = 0; x < symbol.size; x++) {
    if (!symbol.isDark(x, y)) continue;
    const from = (x + quietZone) * scale;
    for (let pixel = from; pixel < from + scale; pixel++) row[pixel >> 3] |= <u8>(<i32>0x80 >> (pixel & 7));
  }
}

function chunk(png: Bytes, type: string, data: Uint8Array): void {
  const body = new Bytes();
  body.pushText(type);
  body.pushAll(data);
  png.push32(data.length);
  png.pushAll(body.view());
  png.push32(crc32(body.view()));
}

function crc32(data: Uint8Array): u32 {
  let crc: u32 = 0xffffffff;
  for (let at = 0; at < data.length; at++) {
    crc ^= data[at];
    for (let bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320 & (0 - (crc & 1)));
  }
  return ~crc;
}
