import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameOf, mediaTypeOf } from './media-type.mjs';

const MOST_BYTES = 3_000_000;

/** Fetches the first images of a page by the same guard. One that cannot be had is a warning, never a failure. */
export const fetchImages = async (images, most, { fetch, timeoutMs, call, headers }) => {
  const wanted = images.slice(0, most);
  const answers = await Promise.all(
    wanted.map(({ url }) =>
      fetch({
        url,
        headers: { ...headers, accept: 'image/*' },
        maxBytes: MOST_BYTES,
        timeoutMs: timeoutMs(),
        signal: call.signal,
      }),
    ),
  );
  const resources = [];
  const warnings = [];
  const listed = [];
  for (const [index, image] of images.entries()) {
    const answer = answers[index];
    const fault = answer === undefined ? null : faultOf(answer);
    if (answer === undefined || fault !== null) {
      listed.push({ ...image, file: null });
      if (fault !== null)
        warnings.push({
          code: 'IMAGE_NOT_FETCHED',
          message: `image ${index + 1} is named, not fetched: ${fault}`,
          target: `data.images.${index}`,
        });
      continue;
    }
    const id = `image-${index + 1}`;
    await writeFile(join(call.resourceDir, id), answer.body);
    resources.push({
      id,
      kind: 'image',
      role: 'attachment',
      localPath: id,
      fileName: fileNameOf(answer),
      mimeType: typeOf(answer),
    });
    listed.push({ ...image, file: { $resource: id } });
  }
  return { images: listed, resources, warnings };
};

const faultOf = (answer) => {
  if (!answer.ok) return answer.message;
  if (answer.status !== 200) return `its server answered with status ${answer.status}`;
  if (answer.body.byteLength === 0) return 'it is empty';
  return typeOf(answer).startsWith('image/') ? null : `it is ${typeOf(answer)}, no image`;
};

const typeOf = ({ headers, body }) => mediaTypeOf(headers.get('content-type'), body);
