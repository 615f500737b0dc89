// A real file of each format, under its own name and under every other.
import { describe, expect, it } from 'vitest';
import { base64Of } from '../../support/sample-values.ts';
import { SAMPLE_FILES, type SampleFile } from '../../support/sample-files.ts';
import { publish } from '../../support/publishing.ts';

const files = Object.entries(SAMPLE_FILES) as [string, SampleFile][];
const textOf = ({ bytes }: SampleFile) => base64Of([...bytes]);

describe('a real file', () => {
  it.each(files)('is described by its bytes alone: %s', async (_, file) => {
    const { resources, warnings } = await publish({ data: null, resources: [{ id: 'file', base64: textOf(file) }] });
    const { mimeType, kind, dimensions, durationMs, bytes } = file;
    expect(resources).toMatchObject([{ mimeType, kind, dimensions, durationMs, sizeBytes: bytes.length }]);
    expect(warnings).toEqual([]);
  });

  const pairs = files.flatMap(([name, file]) =>
    files.filter(([other]) => other !== name).map(([otherName, other]) => [name, otherName, file, other] as const),
  );

  it.each(pairs)('is what it is: %s as %s', async (_, otherName, file, other) => {
    const { mimeType, kind } = file;
    const claims = [
      { mimeType: other.mimeType },
      { fileName: otherName },
      { mimeType: other.mimeType, kind: other.kind },
    ];
    for (const claim of claims) {
      const { resources, warnings } = await publish({
        data: null,
        resources: [{ id: 'f', base64: textOf(file), ...claim }],
      });
      expect(resources).toMatchObject([{ mimeType, kind }]);
      expect(warnings).toMatchObject([
        { code: 'MIME_MISMATCH', details: { declared: other.mimeType, actual: mimeType } },
      ]);
    }
    const uri = await publish({ data: `data:${other.mimeType};base64,${textOf(file)}` });
    expect(uri.resources).toMatchObject([{ mimeType, kind }]);
    expect(uri.warnings.map(({ code }) => code).toSorted()).toEqual(['INLINE_EXTRACTED', 'MIME_MISMATCH']);
  });
});

describe('a sound or film', () => {
  it('has no duration when it is cut off before its first frame, and is still a sound', async () => {
    const head = SAMPLE_FILES['silence.wav'].bytes.subarray(0, 20);
    const { resources } = await publish({ data: null, resources: [{ id: 'f', base64: base64Of([...head]) }] });
    expect(resources).toMatchObject([{ mimeType: 'audio/wav', durationMs: null }]);
  });

  it('has the duration that the plugin tells only where the file tells none', async () => {
    const { bytes } = SAMPLE_FILES['silence.wav'];
    const resources = [bytes, bytes.subarray(0, 20)].map((content, index) => ({
      id: `f${index}`,
      base64: base64Of([...content]),
      durationMs: 9_000,
    }));
    const published = await publish({ data: null, resources });
    expect(published.resources.map(({ durationMs }) => durationMs)).toEqual([250, 9_000]);
  });
});
