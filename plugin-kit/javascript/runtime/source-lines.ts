/** Where the lines of the bundle come from: `[first line of the bundle, file, line in the file]`, ascending. */
export type SourceLines = { readonly files: readonly string[]; readonly rows: readonly (readonly number[])[] };

/** A stack in terms of the author's files: `plugin.js:812:9` becomes `src/count.ts:14`. */
export function withSourceLines(stack: string, lines: SourceLines): string {
  return stack.replaceAll(
    /plugin\.js:(\d+)(?::\d+)?/g,
    (place, line: string) => sourceOf(lines, Number(line)) ?? place,
  );
}

function sourceOf({ files, rows }: SourceLines, line: number): string | null {
  const row = rows.findLast(([start]) => start !== undefined && start <= line);
  if (row === undefined) return null;
  const [start = 0, file = 0, from = 0] = row;
  const name = files[file];
  return name === undefined ? null : `${name}:${from + line - start}`;
}
