// Sounds and a film that last as long as their names say, all of them silent and black.
import { big, join, little, zeros, type Part } from './bytes.ts';

/** 250 ms: 8 bits, 8 kHz, one channel. */
export const wav = (): Uint8Array => {
  const format = join(little(1, 2), little(1, 2), little(8_000, 4), little(8_000, 4), little(1, 2), little(8, 2));
  const samples = new Uint8Array(2_000).fill(128);
  const body = join('WAVE', 'fmt ', little(format.length, 4), format, 'data', little(samples.length, 4), samples);
  return join('RIFF', little(body.length, 4), body);
};

/** 20 frames of 576 samples at 22.05 kHz, 522 ms: MPEG-2 layer III, 8 kbit/s, one channel, with a title. */
export const mp3 = (): Uint8Array => {
  const title = join([0], 'silence');
  const frame = join('TIT2', big(title.length, 4), [0, 0], title);
  const sound = Array.from({ length: 20 }, () => join([0xff, 0xf3, 0x10, 0xc4], zeros(22)));
  return join('ID3', [3, 0, 0], [0, 0, 0, frame.length], frame, ...sound);
};

const box = (name: string, ...content: readonly Part[]): Uint8Array => {
  const body = join(name, ...content);
  return join(big(body.length + 4, 4), body);
};
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].flatMap((value) => big(value, 4));

/** 1,500 ms: one frame of 16 × 8 that takes all that time. */
export const mp4 = (): Uint8Array => {
  const [scale, length] = [big(1_000, 4), big(1_500, 4)];
  const movie = box(
    'mvhd',
    zeros(12),
    scale,
    length,
    big(0x10000, 4),
    big(0x100, 2),
    zeros(10),
    MATRIX,
    zeros(24),
    big(2, 4),
  );
  const track = box(
    'tkhd',
    [0, 0, 0, 3],
    zeros(8),
    big(1, 4),
    zeros(4),
    length,
    zeros(16),
    MATRIX,
    big(16 << 16, 4),
    big(8 << 16, 4),
  );
  const picture = box(
    'mp4v',
    zeros(6),
    big(1, 2),
    zeros(16),
    big(16, 2),
    big(8, 2),
    big(0x480000, 4),
    big(0x480000, 4),
    zeros(4),
    big(1, 2),
    zeros(32),
    big(24, 2),
    [255, 255],
  );
  const samples = (offset: number) =>
    box(
      'stbl',
      box('stsd', zeros(4), big(1, 4), picture),
      box('stts', zeros(4), big(1, 4), big(1, 4), length),
      box('stsc', zeros(4), big(1, 4), big(1, 4), big(1, 4), big(1, 4)),
      box('stsz', zeros(4), big(4, 4), big(1, 4)),
      box('stco', zeros(4), big(1, 4), big(offset, 4)),
    );
  const type = box('ftyp', 'isom', big(512, 4), 'isomiso2mp41');
  const about = (offset: number) =>
    box(
      'moov',
      movie,
      box(
        'trak',
        track,
        box(
          'mdia',
          box('mdhd', zeros(12), scale, length, big(0x55c4, 2), zeros(2)),
          box('hdlr', zeros(8), 'vide', zeros(12), 'film\0'),
          box(
            'minf',
            box('vmhd', [0, 0, 0, 1], zeros(8)),
            box('dinf', box('dref', zeros(4), big(1, 4), box('url ', [0, 0, 0, 1]))),
            samples(offset),
          ),
        ),
      ),
    );
  const start = type.length + about(0).length + 8;
  return join(type, about(start), box('mdat', zeros(4)));
};
