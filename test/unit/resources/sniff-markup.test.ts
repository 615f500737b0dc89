import { describe, expect, it } from 'vitest';
import { sniffMarkup } from '../../../src/resources/sniff-markup.ts';

const sniff = (text: string) => sniffMarkup(new TextEncoder().encode(text));
const utf16 = (text: string, littleEndian: boolean) => {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  [0xfeff, ...[...text].map((character) => character.charCodeAt(0))].forEach((code, index) =>
    view.setUint16(index * 2, code, littleEndian),
  );
  return bytes;
};

describe('markup', () => {
  it.each([
    '<!DOCTYPE html><title>',
    '<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">',
    '\n\t <html lang="en">',
    '<HTML>',
    '\uFEFF<!-- a comment --><body>',
    '<script>alert(1)</script>',
    '<iframe src=x>',
    '<a href=x>',
    '<p/>',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">',
    '<!-- <svg> --><div >',
  ])('is HTML: %j', (text) => {
    expect(sniff(text)).toBe('text/html');
  });

  it.each([
    '<svg xmlns="http://www.w3.org/2000/svg">',
    '<svg>',
    '<?xml version="1.0"?>\n<svg/>',
    '<?xml version="1.0"?><!-- <html> --><?style x?><svg:svg xmlns:svg="x">',
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg>',
    '<!DOCTYPE x [ <!ENTITY a "<html>"> ]><svg>',
    '  <SVG onload="alert(1)">',
  ])('is a drawing: %j', (text) => {
    expect(sniff(text)).toBe('image/svg+xml');
  });

  it.each([
    '<?xml version="1.0"?><feed>',
    '<?xml version="1.0"?>',
    '<?xml version="1.0"?><!-- no end',
    '<?xml version="1.0"?><p>',
  ])('is XML: %j', (text) => {
    expect(sniff(text)).toBe('application/xml');
  });

  it.each([
    '',
    ' ',
    'text',
    'a <html>',
    '<',
    '<htmlx>',
    '<article>',
    '<5>',
    '{"a":"<svg>"}',
    '<!-- no end',
    '<!doctype',
    '< svg>',
    '<?php echo 1 ?>',
  ])('is none: %j', (text) => {
    expect(sniff(text)).toBeNull();
  });

  it.each([true, false])('is found in UTF-16 as well (little-endian: %s)', (littleEndian) => {
    expect(sniffMarkup(utf16('<html><p>', littleEndian))).toBe('text/html');
  });

  it.each(['<!-- ', '<!--', '<?x ', '<!doctype x [', ' ', '<!-- --> ', '<?a?>', '<'])(
    'is looked for in time that does not grow with the file: %j',
    (piece) => {
      const hostile = new TextEncoder().encode(piece.repeat(2_000_000 / piece.length));
      for (let times = 0; times < 50; times += 1) sniffMarkup(hostile);
    },
  );

  it('is not looked for behind 16 KiB of something else', () => {
    expect(sniff(`${' '.repeat(17_000)}<html>`)).toBeNull();
  });
});
