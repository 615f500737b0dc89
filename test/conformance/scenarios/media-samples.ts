/** The smallest files that are still what they say, as Base64, and what §17.3 expects to be told of each. */
export type MediaSample = {
  readonly name: string;
  readonly base64: string;
  readonly mimeType: string;
  readonly kind: string;
  readonly dimensions: { readonly width: number; readonly height: number } | null;
};

const sample = (
  name: string,
  mimeType: string,
  kind: string,
  base64: string,
  size: readonly [number, number] | null = null,
): MediaSample => ({
  name,
  base64,
  mimeType,
  kind,
  dimensions: size === null ? null : { width: size[0], height: size[1] },
});

export const PNG = sample(
  'PNG',
  'image/png',
  'image',
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAAC0lEQVR4nGNggAAAAAgAAbdYc5UAAAAASUVORK5CYII=',
  [3, 2],
);
export const GIF = sample(
  'GIF',
  'image/gif',
  'image',
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  [1, 1],
);

export const MEDIA_SAMPLES: readonly MediaSample[] = [
  PNG,
  sample('JPEG', 'image/jpeg', 'image', '/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAACAAMBAREA/9k=', [3, 2]),
  GIF,
  sample('WebP', 'image/webp', 'image', 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', [1, 1]),
  sample(
    'PDF',
    'application/pdf',
    'document',
    'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZz4+ZW5kb2JqCnRyYWlsZXI8PC9Sb290IDEgMCBSPj4KJSVFT0YK',
  ),
  sample(
    'ZIP',
    'application/zip',
    'archive',
    'UEsDBBQAAAAAAAAAIVxDvrfoAQAAAAEAAAAFAAAAYS50eHRhUEsBAhQDFAAAAAAAAAAhXEO+t+gBAAAAAQAAAAUAAAAAAAAAAAAAAIABAAAAAGEudHh0UEsFBgAAAAABAAEAMwAAACQAAAAAAA==',
  ),
  sample('MP3', 'audio/mpeg', 'audio', `SUQzAwAAAAAAAP/7kGQ${'A'.repeat(133)}`),
  sample('MP4', 'video/mp4', 'video', 'AAAAGGZ0eXBpc29tAAACAGlzb21tcDQyAAAACG1kYXQ='),
];

/** The bytes of a sample, by the Web's own decoder: the one under test must not check itself. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
