import { Step } from './edit-script';

export class UnifiedDiff {
  constructor(
    public readonly text: string,
    public readonly hunks: i32,
  ) {}
}

/** An edit script in the unified format, with lines around each change; changes that are near share a hunk. */
export function unifiedDiff(
  before: Array<string>,
  after: Array<string>,
  steps: Array<Step>,
  context: i32,
): UnifiedDiff {
  const parts = new Array<string>();
  let hunks = 0;
  let at = 0;
  // Lines of either side that are behind `at`.
  let old = 0;
  let now = 0;
  while (true) {
    const change = nextChange(steps, at);
    if (change < 0) return new UnifiedDiff(parts.join(''), hunks);
    const from = max(at, change - context);
    old += from - at;
    now += from - at;
    const to = endOfHunk(steps, change, context);
    let oldCount = 0;
    let newCount = 0;
    for (let step = from; step < to; step++) {
      if (steps[step] != Step.Add) oldCount++;
      if (steps[step] != Step.Remove) newCount++;
    }
    parts.push(`@@ -${rangeOf(old, oldCount)} +${rangeOf(now, newCount)} @@\n`);
    for (let step = from; step < to; step++) {
      if (steps[step] == Step.Keep) {
        pushLine(parts, ' ', before[old++]);
        now++;
      } else if (steps[step] == Step.Remove) pushLine(parts, '-', before[old++]);
      else pushLine(parts, '+', after[now++]);
    }
    hunks++;
    at = to;
  }
}

function nextChange(steps: Array<Step>, from: i32): i32 {
  for (let at = from; at < steps.length; at++) if (steps[at] != Step.Keep) return at;
  return -1;
}

/** Behind the last line of the hunk: so many equal lines follow that the next change has a hunk of its own. */
function endOfHunk(steps: Array<Step>, change: i32, context: i32): i32 {
  let last = change;
  for (let at = change; at < steps.length && at - last <= 2 * context + 1; at++) {
    if (steps[at] != Step.Keep) last = at;
  }
  return min(last + 1 + context, steps.length);
}

/** Lines are counted from 1; an empty range names the line before it. */
function rangeOf(start: i32, count: i32): string {
  if (count == 1) return (start + 1).toString();
  return `${count == 0 ? start : start + 1},${count}`;
}

function pushLine(parts: Array<string>, mark: string, line: string): void {
  parts.push(mark);
  parts.push(line);
  if (!line.endsWith('\n')) parts.push('\n\\ No newline at end of file\n');
}
