import { crc32, join, little, zeros } from './bytes.ts';

/** One empty page. */
export const pdf = (): Uint8Array => {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((content, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${content}endobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return join(
    `${text}xref\n0 4\n0000000000 65535 f \n${table}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
};

/** One file, `hello.txt`, as it is. */
export const zip = (): Uint8Array => {
  const content = join('hello');
  const common = join(
    little(20, 2),
    zeros(4),
    little(0, 2),
    little(0x21, 2),
    little(crc32(content), 4),
    little(content.length, 4),
    little(content.length, 4),
    little(9, 2),
    zeros(2),
  );
  const entry = join('PK', [3, 4], common, 'hello.txt', content);
  const directory = join('PK', [1, 2], little(20, 2), common, zeros(14), 'hello.txt');
  return join(
    entry,
    directory,
    'PK',
    [5, 6],
    zeros(4),
    little(1, 2),
    little(1, 2),
    little(directory.length, 4),
    little(entry.length, 4),
    zeros(2),
  );
};

export const svg = (): Uint8Array =>
  join(
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a square -->\n',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>\n',
  );

export const html = (): Uint8Array =>
  join('<!doctype html>\n<html lang="en"><title>A page</title><p>Text.</p></html>\n');
