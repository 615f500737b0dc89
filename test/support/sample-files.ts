// A whole, valid file of each format, made here byte by byte. `test/fixtures/files` has the same ones for other programs.
import { html, pdf, svg, zip } from './sample-files/documents.ts';
import { gif, jpeg, png, webp } from './sample-files/images.ts';
import { mp3, mp4, wav } from './sample-files/media.ts';

export type SampleFile = {
  readonly mimeType: string;
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly dimensions: { readonly width: number; readonly height: number } | null;
  readonly durationMs: number | null;
};

const file = (mimeType: string, kind: string, bytes: Uint8Array, facts: Partial<SampleFile> = {}): SampleFile => ({
  mimeType,
  kind,
  bytes,
  dimensions: null,
  durationMs: null,
  ...facts,
});

export const SAMPLE_FILES = {
  'grey.png': file('image/png', 'image', png(), { dimensions: { width: 3, height: 2 } }),
  'grey.jpg': file('image/jpeg', 'image', jpeg(), { dimensions: { width: 16, height: 8 } }),
  'two-colours.gif': file('image/gif', 'image', gif(), { dimensions: { width: 5, height: 4 } }),
  'one-colour.webp': file('image/webp', 'image', webp(), { dimensions: { width: 7, height: 6 } }),
  'empty-page.pdf': file('application/pdf', 'document', pdf()),
  'hello.zip': file('application/zip', 'archive', zip()),
  'silence.mp3': file('audio/mpeg', 'audio', mp3(), { durationMs: 522 }),
  'silence.wav': file('audio/wav', 'audio', wav(), { durationMs: 250 }),
  'still.mp4': file('video/mp4', 'video', mp4(), { durationMs: 1_500 }),
  'square.svg': file('image/svg+xml', 'image', svg()),
  'page.html': file('text/html', 'text', html()),
} as const satisfies Record<string, SampleFile>;
