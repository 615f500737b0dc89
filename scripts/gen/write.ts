import { readFile, rm, writeFile } from 'node:fs/promises';

/** With `--check` nothing is written: a file that would change is an error. */
const isCheck = process.argv.includes('--check');

/** Leaves an unchanged file alone, so that generating is quiet and its time stamps mean something. */
export const writeIfChanged = async (path: string, text: string): Promise<void> => {
  const present = await readFile(path, 'utf8').catch(() => null);
  if (present === text) return;
  if (isCheck) {
    process.stderr.write(`${path} is not what its source generates; run npm run gen\n`);
    process.exitCode = 1;
    return;
  }
  await writeFile(path, text);
  process.stderr.write(`wrote ${path}\n`);
};

/** Removes a generated file that nothing generates any more. */
export const removeStale = async (path: string): Promise<void> => {
  if (isCheck) {
    process.stderr.write(`${path} has no source any more; run npm run gen\n`);
    process.exitCode = 1;
    return;
  }
  await rm(path);
};

/** Replaces what stands between `<!-- gen:NAME:start -->` and `<!-- gen:NAME:end -->`; both must be there. */
export const replaceSection = async (path: string, name: string, content: string): Promise<void> => {
  const document = await readFile(path, 'utf8');
  const start = `<!-- gen:${name}:start -->`;
  const end = `<!-- gen:${name}:end -->`;
  const from = document.indexOf(start);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`${path} has no section "${name}"`);
  await writeIfChanged(path, `${document.slice(0, from + start.length)}\n\n${content.trim()}\n\n${document.slice(to)}`);
};

/** A Markdown table; bars inside cells are escaped. */
export const markdownTable = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`)
    .join('\n');
