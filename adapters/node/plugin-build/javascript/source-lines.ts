import { decode } from '@jridgewell/sourcemap-codec';
import type { SourceLines } from '../../../../plugin-kit/javascript/runtime/source-lines.ts';

type SourceMap = { readonly sources: readonly string[]; readonly mappings: string };

/** Where no file of the author stands. */
const NO_FILE = -1;

/**
 * Which lines of a bundle come from which of the author's own files, as plugin-kit/javascript/runtime/source-lines.ts
 * reads it: a row stands for all lines up to the next row.
 */
export const sourceLines = (mapText: string): SourceLines => {
  const { sources, mappings } = JSON.parse(mapText) as SourceMap;
  const files: string[] = [];
  const numbers = sources.map((source) => (isOwn(source) ? files.push(source) - 1 : NO_FILE));
  const rows: number[][] = [];
  let expected = { file: NO_FILE, line: 0 };
  for (const [index, segments] of decode(mappings).entries()) {
    const placed = segments.filter((segment) => segment.length >= 4);
    // What stands at column 0 only says again where the line before ended: all code is indented.
    const first = placed.find(([column]) => column > 0) ?? placed[0];
    const place = first?.[1] === undefined || first[2] === undefined ? null : { source: first[1], line: first[2] + 1 };
    // A line without a place, such as a brace of the bundler's, goes with the one before.
    if (place !== null) {
      const file = numbers[place.source] ?? NO_FILE;
      const isNew = file !== expected.file || (file !== NO_FILE && place.line !== expected.line);
      if (isNew) rows.push(file === NO_FILE ? [index + 1, NO_FILE] : [index + 1, file, place.line]);
      expected = { file, line: place.line };
    }
    expected = { ...expected, line: expected.line + 1 };
  }
  return { files, rows };
};

/** Paths are relative to the plugin's folder; libraries and the kit lie elsewhere. */
const isOwn = (source: string): boolean =>
  !source.includes('node_modules/') && !source.startsWith('../') && source !== 'vcp-plugin-entry.js';
