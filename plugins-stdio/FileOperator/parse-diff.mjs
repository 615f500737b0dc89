const HUNK = /^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)?)? ?@@/;
const NO_LINE_END = /^\\ /;

/**
 * Reads a unified diff of one file: `{ hunks }`, or `{ fault }`, a sentence about what is wrong and where. A hunk is
 * `{ line, lines, oldUnended, newUnended }`: `line` is where its old lines are said to begin (null when it does not say),
 * `lines` are `{ sign, text }` with the sign " ", "-" or "+", and the flags tell which side ends the file without a line
 * end. How many lines a header announces is not held against it: writers of diffs miscount.
 */
export function parseDiff(diff) {
  const lines = diff.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const hunks = [];
  let files = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ')) {
      files += 1;
      if (files > 1)
        return { fault: `line ${index + 1} begins a second file; give each file's diff in a call of its own` };
      index += 1;
      continue;
    }
    const header = HUNK.exec(line);
    if (header) {
      hunks.push({
        line: header[1] === undefined ? null : Number(header[1]),
        lines: [],
        oldUnended: false,
        newUnended: false,
      });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue; // the prose and headers before the first hunk
    if (line.startsWith('diff --git '))
      return { fault: `line ${index + 1} begins a second file; give each file's diff in a call of its own` };
    if (NO_LINE_END.test(line)) {
      const last = hunk.lines.at(-1)?.sign;
      if (last === undefined) return { fault: `line ${index + 1} says "no newline" of no line` };
      if (last !== '+') hunk.oldUnended = true;
      if (last !== '-') hunk.newUnended = true;
      continue;
    }
    // An empty context line often loses its space.
    const sign = line === '' ? ' ' : line[0];
    if (!' +-'.includes(sign))
      return { fault: `line ${index + 1} begins with none of " ", "+", "-", "@@": ${quoted(line)}` };
    hunk.lines.push({ sign, text: line.slice(1) });
  }
  if (hunks.length === 0) return { fault: 'it has no hunk; a hunk begins with a line such as "@@ -1,3 +1,4 @@"' };
  const empty = hunks.findIndex((hunk) => hunk.lines.every(({ sign }) => sign === ' '));
  if (empty !== -1) return { fault: `hunk ${empty + 1} changes nothing` };
  return { hunks };
}

function quoted(line) {
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
