// What QrCode draws, read by a decoder and a PNG reader that know nothing of it.
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { guestInput, guestOf, type GuestHost } from '../../support/run-guest.ts';

const run = guestOf(new URL('../../../plugins-wasm/QrCode/plugin.wasm', import.meta.url));
const decode = jsQR as unknown as typeof jsQR.default;

type Drawn = {
  readonly payload: {
    status: string;
    data: { version: number; errorCorrection: string; mode: string; modules: number; widthPixels: number };
    warnings?: { code: string }[];
    error?: { code: string; target: string };
  };
  readonly png: Uint8Array | null;
};

const draw = async (args: object, command = 'Image'): Promise<Drawn> => {
  let png: Uint8Array | null = null;
  const host: GuestHost = ({ bytes }) => {
    png = bytes;
    return { answer: { ok: { resourceId: 'res_1' } } };
  };
  const payload = (await run(guestInput(command, { command, ...args }), host)) as Drawn['payload'];
  return { payload, png };
};

const read = (png: Uint8Array | null, width?: number) => {
  const image = PNG.sync.read(Buffer.from(png!));
  if (width !== undefined) expect([image.width, image.height]).toEqual([width, width]);
  return decode(new Uint8ClampedArray(image.data), image.width, image.height, { inversionAttempts: 'dontInvert' });
};

const LEVELS = ['L', 'M', 'Q', 'H'];

describe.each(LEVELS)('a code of level %s', (errorCorrection) => {
  it.each(Array.from({ length: 40 }, (_, index) => index + 1))('is read in version %i', async (minVersion) => {
    // 7 bytes fit the smallest symbol of the highest level; the rest of a large one is padding and correction.
    const text = minVersion === 1 ? 'A1 ü' : `v${minVersion} ${'数é🙂x'.repeat(minVersion / 2)}`;
    const { payload, png } = await draw({ text, errorCorrection, minVersion, scale: 4 });
    const code = read(png, payload.data.widthPixels);
    expect(code?.data).toBe(text);
    expect(code?.version).toBe(payload.data.version);
    expect(payload.data.version).toBe(Math.max(minVersion, payload.data.version));
  });
});

it.each([
  ['numeric', '0123456789012345678901234567890'],
  ['alphanumeric', 'HTTPS://EXAMPLE.COM/A-B*C%20$9'],
  ['byte', 'https://example.com/path?query=小鸟 🐦'],
])('takes the shortest way for %s text', async (mode, text) => {
  const { payload, png } = await draw({ text });
  expect(payload.data.mode).toBe(mode);
  expect(read(png)?.data).toBe(text);
});

it.each([
  ['L', 7_089, '7'],
  ['H', 1_852, 'A'],
  ['M', 2_331, 'é'.repeat(1)],
] as const)(
  'fills the largest code of level %s, and says when it is too much',
  async (errorCorrection, most, filling) => {
    // ISO/IEC 18004 table 7: what version 40 holds, in digits, capitals and bytes.
    const text = filling === 'é' ? `${'é'.repeat(1_165)}x` : filling.repeat(most);
    const { payload, png } = await draw({ text, errorCorrection, scale: 3 });
    expect([payload.data.version, payload.data.modules]).toEqual([40, 177]);
    expect(read(png)?.data).toBe(text);
    const { payload: more } = await draw({ text: `${text}${filling}`, errorCorrection, scale: 3 });
    expect(more.error).toMatchObject({ code: 'QR.TOO_LONG', target: 'text' });
  },
);

it('draws colours, a transparent ground and a border of any width', async () => {
  const { payload, png } = await draw({ text: 'x', dark: '#036', light: 'transparent', quietZone: 0, scale: 7 });
  const image = PNG.sync.read(Buffer.from(png!));
  expect(image.width).toBe(147);
  expect([...image.data.subarray(0, 4)]).toEqual([0, 51, 102, 255]);
  expect(image.data.at(4 * (147 * 10 + 10) + 3)).toBe(0);
  expect(payload.warnings?.map(({ code }) => code)).toEqual(['QUIET_ZONE_NARROW']);
});

it('draws text that is read from the characters alone', async () => {
  const { payload } = await draw({ text: 'Hello, 世界' }, 'Text');
  const lines = (payload.data as unknown as { drawing: string }).drawing.split('\n');
  const scale = 4;
  const size = lines[0]!.length;
  const pixels = new Uint8ClampedArray(size * size * scale * scale * 4).fill(255);
  for (let y = 0; y < size * scale; y += 1) {
    for (let x = 0; x < size * scale; x += 1) {
      const character = lines[Math.floor(y / scale / 2)]![Math.floor(x / scale)]!;
      const isUpper = Math.floor(y / scale) % 2 === 0;
      const isDark = character === '█' || character === (isUpper ? '▀' : '▄');
      if (isDark) pixels.fill(0, (y * size * scale + x) * 4, (y * size * scale + x) * 4 + 3);
    }
  }
  expect(decode(pixels, size * scale, size * scale)?.data).toBe('Hello, 世界');
});

it('writes what phones take for a network', async () => {
  const { png } = await draw({ ssid: 'Café "5;G"', password: 'a\\b:c', hidden: true }, 'Wifi');
  expect(read(png)?.data).toBe('WIFI:T:WPA;S:Café \\"5\\;G\\";P:a\\\\b\\:c;H:true;;');
});
